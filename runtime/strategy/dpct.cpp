#include "runtime/strategy/dpct.h"

#include "core/trace/channel.h"

namespace heddle::strategy {

void DPctStrategy::start() {
  PriorityStrategy::start();
  structures_.begin(learning_, index_);
  runs_.clear();
  begun_ = length_ = spare_ = 0;
  for (std::uint32_t& calls : planned_) calls = 0;
  // What threads do by themselves: those of earlier executions are expected again.
  structures_.for_each([&](std::uint32_t operation, const StructureTree& tree) {
    if (operation < Structures::kCalled) lengthen(tree.sum());
  });
}

std::uint32_t DPctStrategy::assumed_events(std::uint32_t operation) const {
  const StructureTree* tree = structures_.tree(operation);
  return tree != nullptr ? tree->sum() : kUnknownEvents;
}

void DPctStrategy::operations_planned(std::uint32_t operation, std::uint32_t calls) {
  if (operation >= kPlanned) return;
  planned_[operation] += calls;
  lengthen(calls * assumed_events(Structures::kCalled + operation));
}

void DPctStrategy::piece_begins() {
  forget_points();
  begun_ = length_ = events_;
  spare_ = 0;
  for (std::uint32_t& calls : planned_) calls = 0;
}

void DPctStrategy::operation_called(ThreadId thread, std::uint32_t operation) {
  leave(thread);
  const bool is_assumed = operation < kPlanned && planned_[operation] != 0;
  if (is_assumed) --planned_[operation];
  enter(thread, Structures::kCalled + operation, is_assumed);
}

void DPctStrategy::operation_returned(ThreadId thread) { leave(thread); }

void DPctStrategy::enter(ThreadId thread, std::uint32_t operation, bool is_assumed) {
  const StructureTree* tree = structures_.tree(operation);
  const std::uint32_t events = assumed_events(operation);
  if (!is_assumed) lengthen(events);
  runs_[thread] = {true, operation, events, 0, tree};
  structures_.enter(thread, operation);
}

void DPctStrategy::leave(ThreadId thread) {
  Run& run = runs_[thread];
  if (!run.inside) return;
  structures_.leave(thread);
  spare_ += run.left;
  run = {};
}

void DPctStrategy::lengthen(std::uint32_t by) {
  const std::uint32_t from_spare = by < spare_ ? by : spare_;
  spare_ -= from_spare;
  if (by == from_spare) return;
  const std::uint32_t before = length_;
  length_ += by - from_spare;
  spread_points(depth_ - 1, begun_, before, length_);
}

bool DPctStrategy::meet(ThreadId thread, const NextOperation& next) {
  Run& run = runs_[thread];
  if (!run.inside) {
    const std::uint32_t own = index_of(thread);
    enter(thread, own, structures_.tree(own) != nullptr);
  }
  structures_.visit(thread, next.pc);
  std::uint32_t needed = run.tree != nullptr ? run.tree->remaining(next.pc) : 0;
  // Code that is not known doubles what there was before.
  if (needed == 0) needed = run.left != 0 ? 1 : run.events + 1;
  if (needed > run.left) {
    lengthen(needed - run.left);
    run.left = needed;
  }
  --run.left;
  ++run.events;
  const std::uint32_t in_piece = events_ - begun_;
  if (in_piece == 1) set_period(length_ - begun_);
  if (is_period(in_piece)) ask_for_random_thread();
  return change_at(events_, thread);
}

void DPctStrategy::after(const Operation& operation) {
  if (operation.kind == EventKind::kThreadEnd) leave(operation.thread);
}

void DPctStrategy::end(ExecutionResult& result) {
  PriorityStrategy::end(result);
  structures_.mark(result.fingerprint);
}

void DPctStrategy::teach(const ExecutionResult& result) {
  PriorityStrategy::teach(result);
  if (learning_ != nullptr) structures_.teach(*learning_, result.index, result.fingerprint);
}

}  // namespace heddle::strategy
