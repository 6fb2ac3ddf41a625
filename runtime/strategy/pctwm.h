// PCTWM (ASPLOS 2023, Algorithms 1 and 2; thesis, Algorithms 2 and 3): d communication events, drawn for
// every execution among k_com, are put off until all others have run and then read from outside their thread,
// from one of the h latest stores; in the order in which they were drawn. All other reads see what their
// thread knows. A bug of depth d within history h is found with a probability of at least 1/(h·k_com)^d.
//
// Where the store that a thread knows may not be read any more, the nearest allowed one after it in
// modification order is read.
#pragma once

#include "core/trace/strategy_spec.h"
#include "runtime/strategy/knowledge.h"
#include "runtime/strategy/priorities.h"

namespace heddle::strategy {

class PctwmStrategy final : public PriorityStrategy {
 public:
  struct Parameters {
    std::uint32_t depth = 2;
    std::uint32_t history = 1;
    std::uint32_t communications = 0;  // k_com; 0: learned
    bool once = false;
  };
  explicit PctwmStrategy(const Parameters& parameters) : parameters_(parameters) {}
  explicit PctwmStrategy(const StrategySpec& spec)
      : parameters_{spec.value("d", 2), spec.value("h", 1), spec.value("k", 0), spec.value("once", 0) != 0} {}

  void created(ThreadId parent, ThreadId child) override { knowledge_.created(parent, child); }
  void joined(ThreadId joiner, ThreadId finished) override { knowledge_.joined(joiner, finished); }
  void released(ThreadId thread, std::uint32_t object) override { knowledge_.released(thread, object); }
  void acquired(ThreadId thread, std::uint32_t object) override { knowledge_.acquired(thread, object); }

  void set_parameters(const Parameters& parameters) { parameters_ = parameters; }

 protected:
  void start() override;
  bool meet(ThreadId thread, const NextOperation& next) override;
  void after(const Operation& operation) override;
  std::uint32_t choose_store(const ChoicePoint& point) override;
  void on_forced(ThreadId thread) override { reordered_[thread] = true; }

 private:
  static constexpr std::uint32_t kFirstCommunications = 16;  // until anything is known
  static constexpr std::uint32_t kMostHistory = 512;

  std::uint32_t read_global(const ChoicePoint& point);
  std::uint32_t read_local(const ChoicePoint& point);

  Parameters parameters_;
  Knowledge knowledge_;
  ThreadTable<bool> reordered_;  // the thread's next operation
};

}  // namespace heddle::strategy
