// What the other threads would have done after one has failed. An explanation needs it: the store that a
// failed condition should have read may be one that its thread had not come to yet.
#include "runtime/engine/execution.h"

#include <csignal>

namespace heddle::engine {
namespace {

// The failure, as it is reported in the end; whatever the others come to is not part of it.
struct Failure {
  ExecutionResult result;
  std::uint32_t findings = 0;
  Ending ending = Ending::kFinding;
  int status = 0;
} failure;

// Enough to come to what the failed thread waited for; threads that wait for it spin meanwhile.
constexpr std::uint64_t kAtLeast = 1'000;

}  // namespace

// Not after a fault: its handler is still on the stack, and its signal blocked.
bool Execution::may_run_on(int signal) const {
  return spec().run_on != 0 && !runs_on_ && (signal == 0 || signal == SIGABRT) &&
         scheduler_.unfinished_count() > 1;
}

void Execution::run_on(Ending ending, int status) {
  ChannelHeader& h = *channel_.header();
  failure = {h.current, h.finding_count.load(std::memory_order_relaxed), ending, status};
  runs_on_ = true;
  // In turns, and nothing is chosen: the log has no more choices.
  fairness_.hold(2 * h.current.steps + kAtLeast);
  note_pace();
  scheduler_.block(sched::WaitKind::kPause, 0, sched::kNoDeadline);
  for (;;) run_others();
}

void Execution::forget_what_came_after(Ending& ending, int& status) {
  ChannelHeader& h = *channel_.header();
  h.current = failure.result;
  h.finding_count.store(failure.findings, std::memory_order_relaxed);
  ending = failure.ending;
  status = failure.status;
}

}  // namespace heddle::engine
