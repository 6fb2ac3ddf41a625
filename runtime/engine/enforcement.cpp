// What the mediator does about rules.h and element_turns.h: it offers the strategy the threads that are left.
#include "runtime/engine/execution.h"
#include "runtime/engine/injection.h"

namespace heddle::engine {

using sched::Thread;

namespace {

strategy::ChoicePoint point_of(const FreeThreads& free, ThreadId running) {
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kThread;
  point.thread = running;
  point.thread_can_continue = free.has_own();
  point.count = free.count;
  point.threads = free.threads;
  point.fallback = free.has_own() ? free.own_position : 0;
  return point;
}

}  // namespace

ThreadId Execution::choose_free_thread(bool can_continue) {
  const auto runnable = scheduler_.runnable();
  FreeThreads free;
  for (const ThreadId id : runnable) {
    if (!rules_.must_wait(scheduler_.thread(id))) free.add(id, scheduler_.current());
  }
  if (free.count == 0) return can_continue ? scheduler_.current() : runnable[0];
  if (free.count == 1) return free.threads[0];
  strategy::ChoicePoint point = point_of(free, scheduler_.current());
  point.alternatives_hash = Choices::hash_alternatives(point);
  return free.threads[choices_.pick(point)];
}

// The choice is logged as one among all that can run, as it would be without orders.
ThreadId Execution::choose_in_order(bool can_continue) {
  FreeThreads free;
  elements_.find_free(free, rules_, spec().seed, steps());
  if (free.count == 0) {
    // Nobody can go on: who could run waits for the turn of somebody who has ended, or waits in the program
    // itself.
    const std::uint32_t order = elements_.unkept_order();
    if (order != ElementOrders::kNone) channel_.header()->current.divergence_choice = order;
    finish(Ending::kInfeasible, 0);
  }
  if (scheduler_.runnable().size() == 1) return scheduler_.runnable()[0];
  if (fairness_.is_fair()) {
    ThreadId next = free.threads[0];
    for (std::uint32_t i = free.count; i-- > 0;) {
      if (index_of(free.threads[i]) > index_of(scheduler_.current())) next = free.threads[i];
    }
    choices_.log_thread(scheduler_, next, can_continue);
    return next;
  }
  strategy::ChoicePoint point = point_of(free, scheduler_.current());
  point.alternatives_hash = Choices::thread_hash(scheduler_, can_continue);
  if (free.count > 1) return free.threads[choices_.pick(point)];
  choices_.begin_if_not();
  choices_.log_thread(scheduler_, free.threads[0], can_continue);
  return free.threads[0];
}

// Of threads that wait for a condition, the one that the orders say. As with threads, the choice is logged as
// one among all. kNone: nothing is said.
std::uint32_t Execution::waiter_in_order(Thread* const* waiters, const ChoiceKey* keys, std::uint32_t count) {
  if (!elements_.any() || count < 2 || fairness_.is_fair()) return ElementOrders::kNone;
  const std::uint32_t first = elements_.first_waiter({waiters, count});
  if (first == ElementOrders::kNone) return first;
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kWakeUp;
  point.thread = scheduler_.current();
  point.count = count;
  point.keys = keys;
  choices_.begin_if_not();
  choices_.log().add(
      [&] { return Choice::make(point.kind, Choices::hash_alternatives(point), keys[first]); });
  return first;
}

void Execution::element_access(std::uint32_t order, const ElementRange& range, std::uint64_t pc) {
  Thread& t = self();
  if (t.ignored) return;
  if (orders().profiles()) {
    if (order != ElementOrders::kNone && !scheduler_.is_alone()) profile_access(order, range);
    if (spec().element_points == 0) return;
    order = ElementOrders::kNone;
  }
  const EventKind kind = range.writes ? EventKind::kPlainWrite : EventKind::kPlainRead;
  elements_.await(t, order);
  visible({kind, MemoryOrder::kRelaxed, 0, range.begin, pc});
  done(kind, 0);
  changed();  // how long a loop of plain accesses may last is not for fairness to say
  range.begin != 0 ? elements_.pass(t) : elements_.enter(t);
}

void Execution::await_element(std::uint32_t order, const ElementRange& range) {
  Thread& t = self();
  if (t.ignored || order == ElementOrders::kNone) return;
  if (!orders().profiles()) return elements_.await(t, order);
  if (scheduler_.is_alone()) return;
  elements_.saw(order, t.id);
  if (spec().plain_events == PlainEvents::kFindShared && range.begin != 0) touch_granules(range);
}

}  // namespace heddle::engine
