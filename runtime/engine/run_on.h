// RunOn: what the other threads would have done after one has failed (RunSpec::run_on). An explanation needs
// it: the store that a failed condition should have read may be one that its thread had not come to yet.
//
// Owns: the failure as it is reported in the end.
// Invariant: once begun, whatever the others come to is no part of the result; restore() puts the failure back.
#pragma once

#include <csignal>
#include <cstdint>

#include "core/trace/channel.h"

namespace heddle::engine {

class RunOn {
 public:
  bool is_active() const { return active_; }
  // Not after a fault: its handler is still on the stack, and its signal blocked.
  bool may_begin(const RunSpec& spec, int signal, std::uint32_t unfinished_threads) const {
    return spec.run_on != 0 && !active_ && (signal == 0 || signal == SIGABRT) && unfinished_threads > 1;
  }
  // Answers the step at which the execution ends: enough to come to what the failed thread waited for, while
  // threads that wait for it spin.
  std::uint64_t begin(const ChannelHeader& header, Ending ending, int status) {
    constexpr std::uint64_t kAtLeast = 1'000;
    active_ = true;
    result_ = header.current;
    findings_ = header.finding_count.load(std::memory_order_relaxed);
    ending_ = ending;
    status_ = status;
    return 2 * header.current.steps + kAtLeast;
  }
  void restore(ChannelHeader& header, Ending& ending, int& status) const {
    header.current = result_;
    header.finding_count.store(findings_, std::memory_order_relaxed);
    ending = ending_;
    status = status_;
  }

 private:
  bool active_ = false;
  std::uint32_t findings_ = 0;
  Ending ending_ = Ending::kFinding;
  int status_ = 0;
  ExecutionResult result_;
};

}  // namespace heddle::engine
