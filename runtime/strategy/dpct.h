// D-PCT (CGVT, III.B): PCT for executions of which nobody knows how long they are. k is calculated from the
// structure trees of the operations that the threads will call (structures.h), and again when an execution
// goes beyond what was assumed: a loop that takes more rounds than θ, an operation that nobody has announced,
// code that no tree has.
//
// The d − 1 change points are uniform among k events at any time: when k grows, each moves into the part that
// came with it with the probability that the part has. One that was used already comes again there instead,
// so that an execution that goes on and on is never left without any.
#pragma once

#include "core/trace/strategy_spec.h"
#include "runtime/strategy/priorities.h"
#include "runtime/strategy/structures.h"

namespace heddle::strategy {

class DPctStrategy final : public PriorityStrategy {
 public:
  explicit DPctStrategy(const StrategySpec& spec) : depth_(spec.value("d", 3)) { structures_.prepare(); }

  void operations_planned(std::uint32_t operation, std::uint32_t calls) override;
  void piece_begins() override;
  void operation_called(ThreadId thread, std::uint32_t operation) override;
  void operation_returned(ThreadId thread) override;
  void end(ExecutionResult& result) override;
  void teach(const ExecutionResult& result) override;

 protected:
  void start() override;
  bool meet(ThreadId thread, const NextOperation& next) override;
  void after(const Operation& operation) override;

 private:
  // Of an operation of which nothing is known.
  static constexpr std::uint32_t kUnknownEvents = 8;
  static constexpr std::uint32_t kPlanned = Structures::kOperations / 2;

  struct Run {
    bool inside;
    std::uint32_t operation;
    std::uint32_t left;    // events that are assumed to come
    std::uint32_t events;  // so far
    const StructureTree* tree;
  };

  std::uint32_t assumed_events(std::uint32_t operation) const;
  void enter(ThreadId thread, std::uint32_t operation, bool is_assumed);
  void leave(ThreadId thread);
  // More events than assumed so far.
  void lengthen(std::uint32_t by);

  std::uint32_t depth_;
  Structures structures_;
  ThreadTable<Run> runs_;
  std::uint32_t begun_ = 0;   // events before the piece under way
  std::uint32_t length_ = 0;  // k, with them
  std::uint32_t spare_ = 0;   // of it, what operations that are over have not used
  std::uint32_t planned_[kPlanned] = {};
};

}  // namespace heddle::strategy
