// Accesses to shared program elements as scheduling points, and in given orders.
#include "runtime/engine/element_orders.h"

#include "core/base/pages.h"
#include "runtime/engine/execution.h"

namespace heddle::engine {

using sched::Thread;

void ElementOrders::start(OrderTable* table, bool profiles) {
  table_ = table != nullptr && table->vectors != 0 ? table : nullptr;
  if (table_ == nullptr) return;
  profiles_ = profiles;
  const std::uint64_t words = 2 * std::uint64_t{table_->vectors} + table_->runs;
  at_ = static_cast<std::uint32_t*>(map_pages(words * sizeof(std::uint32_t)));
  HEDDLE_CHECK(at_ != nullptr);
  reached_ = at_ + table_->vectors;
  made_ = reached_ + table_->vectors;
}

std::uint32_t ElementOrders::find(std::uint64_t element) const {
  if (table_ == nullptr) return kNone;
  std::uint32_t low = 0;
  std::uint32_t high = table_->vectors;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    table_->vector()[middle].element < element ? low = middle + 1 : high = middle;
  }
  return low < table_->vectors && table_->vector()[low].element == element ? low : kNone;
}

std::uint32_t ElementOrders::group_end(const OrderVector& vector, std::uint32_t from) const {
  const OrderRun* runs = table_->run() + vector.first;
  std::uint32_t end = from;
  while (end < vector.count && (end == from || runs[end].with_last != 0)) ++end;
  return end;
}

bool ElementOrders::is_turn(std::uint32_t index, std::uint64_t lineage) const {
  const OrderVector& vector = table_->vector()[index];
  if (is_over(index)) return rest_is_free_;
  const OrderRun* runs = table_->run() + vector.first;
  const std::uint32_t end = group_end(vector, at_[index]);
  for (std::uint32_t i = at_[index]; i < end; ++i) {
    if (runs[i].lineage == lineage && made_[vector.first + i] < runs[i].accesses) return true;
  }
  return false;
}

void ElementOrders::passed(std::uint32_t index, std::uint64_t lineage) {
  OrderVector& vector = table_->vector()[index];
  if (is_over(index)) return;
  const OrderRun* runs = table_->run() + vector.first;
  std::uint32_t* made = made_ + vector.first;
  const std::uint32_t end = group_end(vector, at_[index]);
  bool complete = true;
  bool counted = false;
  for (std::uint32_t i = at_[index]; i < end; ++i) {
    if (!counted && runs[i].lineage == lineage && made[i] < runs[i].accesses) {
      ++made[i];
      counted = true;
    }
    complete = complete && made[i] >= runs[i].accesses;
  }
  if (counted) vector.reached = ++reached_[index];
  if (complete) at_[index] = end;
}

void Execution::element_access(std::uint32_t order, Address address, bool writes, std::uint64_t pc) {
  Thread& t = self();
  if (t.ignored) return;
  if (orders_.profiles()) {
    if (order != ElementOrders::kNone && channel_.granules().is_shared(address)) orders_.saw_shared(order);
    return;
  }
  const EventKind kind = writes ? EventKind::kPlainWrite : EventKind::kPlainRead;
  t.awaited_order = order != ElementOrders::kNone ? order + 1 : 0;
  visible({kind, MemoryOrder::kRelaxed, 0, address, pc});
  done(kind, 0);
  changed();  // how long a loop of plain accesses may last is not for fairness to say
  element_passed();
}

void Execution::await_element(std::uint32_t order) {
  Thread& t = self();
  if (t.ignored || order == ElementOrders::kNone) return;
  if (orders_.profiles()) return orders_.saw(order, t.id);
  t.awaited_order = order + 1;
}

void Execution::element_passed() {
  Thread& t = self();
  if (t.awaited_order == 0) return;
  orders_.passed(t.awaited_order - 1, t.lineage);
  t.awaited_order = 0;
}

bool Execution::is_out_of_turn(const Thread& t) const {
  // That a wait begins was its turn already: what is awaited is its end.
  if (t.pending.kind == EventKind::kCondWait) return false;
  return t.awaited_order != 0 && !orders_.is_turn(t.awaited_order - 1, t.lineage);
}

// The choice is logged as one among all that can run, as it would be without orders.
ThreadId Execution::choose_in_order(bool can_continue) {
  constexpr std::uint32_t kMost = 512;
  const auto runnable = scheduler_.runnable();
  ThreadId free[kMost];
  std::uint32_t count = 0;
  std::uint32_t own_position = kMost;
  const auto gather = [&] {
    for (const ThreadId id : runnable) {
      const Thread& t = scheduler_.thread(id);
      if (count == kMost || is_out_of_turn(t) || must_wait(t)) continue;
      if (id == scheduler_.current()) own_position = count;
      free[count++] = id;
    }
  };
  gather();
  if (count == 0 && !orders_.rest_is_free()) {
    // What was recorded may end in the middle of what happened: only now may anybody go beyond it.
    orders_.release_rest();
    gather();
  }
  if (count == 0) report_infeasible();
  if (runnable.size() == 1) return runnable[0];
  const std::uint32_t hash = thread_alternatives_hash(can_continue);
  if (fair_) {
    ThreadId next = free[0];
    for (std::uint32_t i = count; i-- > 0;) {
      if (index_of(free[i]) > index_of(scheduler_.current())) next = free[i];
    }
    return next;
  }
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kThread;
  point.thread = scheduler_.current();
  point.thread_can_continue = own_position != kMost;
  point.count = count;
  point.threads = free;
  point.fallback = own_position != kMost ? own_position : 0;
  point.alternatives_hash = hash;
  if (count > 1) return free[pick(point)];
  if (!begun_) hooks_.at_first_choice();
  log_choice([&] { return Choice::make(ChoiceKind::kThread, hash, ChoiceKey::thread(free[0])); });
  return free[0];
}

// Nobody can go on: who could run waits for the turn of somebody who has ended, or waits in the program
// itself.
void Execution::report_infeasible() {
  for (const ThreadId id : scheduler_.runnable()) {
    const Thread& t = scheduler_.thread(id);
    if (is_out_of_turn(t)) channel_.header()->current.divergence_choice = t.awaited_order - 1;
  }
  finish(Ending::kInfeasible, 0);
}

}  // namespace heddle::engine
