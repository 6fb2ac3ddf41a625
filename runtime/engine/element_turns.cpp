#include "runtime/engine/element_turns.h"

#include <initializer_list>

#include "core/base/random.h"

namespace heddle::engine {

using sched::Thread;

namespace {

// Cuts threads to those that `is_kept` says.
template <typename IsKept>
void keep_those(FreeThreads& free, ThreadId running, IsKept is_kept) {
  const std::uint32_t count = free.count;
  free.count = 0;
  free.own_position = FreeThreads::kMost;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_kept(free.threads[i])) free.add(free.threads[i], running);
  }
}

// What a thread does in a block comes soon after it has entered it, but for what may take long: until the
// next block is entered, a lock is taken, a sleep is over.
bool may_be_put_off(const sched::PendingOperation& next) {
  switch (next.kind) {
    case EventKind::kPlainWrite:
      return next.address == 0;
    case EventKind::kMutexLock:
    case EventKind::kCondWake:
    case EventKind::kRwlockReadLock:
    case EventKind::kRwlockWriteLock:
    case EventKind::kSemaphoreWait:
    case EventKind::kSleep:
      return true;
    default:
      return false;
  }
}

}  // namespace

void ElementTurns::await(Thread& t, std::uint32_t order) {
  t.awaited_order = order != ElementOrders::kNone ? order + 1 : 0;
}

void ElementTurns::await_mutex(Thread& t, Address mutex) {
  if (t.ignored || !any()) return;
  const std::uint32_t order = orders_.vector_of_lock(t.id, mutex);
  if (order != ElementOrders::kNone) t.awaited_mutex = order + 1;
}

void ElementTurns::pass(Thread& t) {
  for (std::uint32_t* awaited : {&t.awaited_order, &t.awaited_mutex}) {
    if (*awaited != 0) orders_.passed(*awaited - 1, t.lineage);
    *awaited = 0;
  }
}

void ElementTurns::enter(Thread& t) {
  t.entered = ++entered_;
  if (t.awaited_order != 0) orders_.entered(t.awaited_order - 1, t.lineage);
  t.awaited_order = 0;
}

void ElementTurns::take_lock(Thread& t, Address lock, std::uint32_t order, std::uint64_t element) {
  pass(t);
  orders_.took_lock(t.id, lock, order, element);
  if (orders_.profiles()) locks_.name(t.id, lock);
}

void ElementTurns::take_again(Thread& t, Address mutex) {
  pass(t);
  if (orders_.profiles()) locks_.name(t.id, mutex);
}

std::uint32_t ElementTurns::name_held_locks(bool writes, std::uint64_t* names) const {
  std::uint32_t count = 0;
  for (const sched::HeldLock& held : locks_.held(scheduler_.current())) {
    if ((writes && held.shared) || !held.is_named) continue;
    const std::uint32_t element = orders_.vector_of_lock(scheduler_.current(), held.lock->address);
    if (element != ElementOrders::kNone) names[count++] = mix(held.lock->address, element) | 1;
  }
  return count;
}

bool ElementTurns::is_out_of_turn(const Thread& t, std::uint32_t giving_way) const {
  // That a wait begins was its turn already: what is awaited is its end.
  if (t.pending.kind == EventKind::kCondWait) return false;
  if (t.pending.kind == EventKind::kThreadEnd && orders_.has_left(t.lineage)) return true;
  for (const std::uint32_t awaited : {t.awaited_order, t.awaited_mutex}) {
    if (awaited == 0 || orders_.is_turn(awaited - 1, t.lineage)) continue;
    if (!orders_.gives_way(awaited - 1, giving_way)) return true;
  }
  return false;
}

std::uint32_t ElementTurns::first_waiter(std::span<Thread* const> waiters) const {
  std::uint32_t first = ElementOrders::kNone;
  std::uint32_t least = ElementOrders::kNone;
  for (std::uint32_t i = 0; i < waiters.size(); ++i) {
    const Thread& t = *waiters[i];
    const std::uint32_t awaited = t.awaited_mutex != 0 ? t.awaited_mutex : t.awaited_order;
    std::uint32_t place = ElementOrders::kNone;
    if (awaited != 0) {
      place = orders_.next_place(awaited - 1, t.lineage);
    } else if (orders_.follows_entries()) {
      place = orders_.next_entry(t.lineage);
    }
    if (place < least) {
      least = place;
      first = i;
    }
  }
  return first;
}

void ElementTurns::gather(FreeThreads& free, const Rules& rules, std::uint32_t giving_way) const {
  for (const ThreadId id : scheduler_.runnable()) {
    const Thread& t = scheduler_.thread(id);
    if (!rules.must_wait(t) && !is_out_of_turn(t, giving_way)) free.add(id, scheduler_.current());
  }
}

void ElementTurns::find_free(FreeThreads& free, const Rules& rules, std::uint64_t seed, std::uint64_t steps) {
  gather(free, rules, kKeptOrder);
  if (free.count == 0) gather(free, rules, kLentOrder);
  if (free.count == 0 && !orders_.rest_is_free() && !orders_.is_incomplete()) {
    // What was recorded may end in the middle of what happened: only now may anybody go beyond it.
    orders_.release_rest();
    gather(free, rules, kKeptOrder);
  }
  if (free.count == 0) gather(free, rules, kYieldsLast);
  if (scheduler_.runnable().size() == 1) return;
  // An order that is waited for goes first seven times in eight.
  if (free.count > 1 && orders_.prefers_turns() && mix(seed, steps) % 8 != 0) keep_waited_for(free);
  if (free.count > 1 && orders_.keeps_abreast()) keep_hindmost(free);
  if (free.count > 1 && orders_.follows_entries()) keep_next_to_enter(free);
}

// Cuts threads that could run to those that an order waits for.
void ElementTurns::keep_waited_for(FreeThreads& free) const {
  const auto is_waited_for = [&](ThreadId id) {
    return orders_.is_waited_for(scheduler_.thread(id).lineage);
  };
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < free.count; ++i) kept += is_waited_for(free.threads[i]) ? 1 : 0;
  if (kept != 0 && kept != free.count) keep_those(free, scheduler_.current(), is_waited_for);
}

// Cuts threads that could run to those that are behind all others.
void ElementTurns::keep_hindmost(FreeThreads& free) {
  ElementOrders::Part least;
  for (std::uint32_t i = 0; i < free.count; ++i) {
    const ElementOrders::Part part = orders_.part_of(scheduler_.thread(free.threads[i]).lineage);
    if (part.accesses != 0 && (least.accesses == 0 || part.is_less_than(least))) least = part;
  }
  if (least.accesses == 0 || orders_.is_in_vain(least)) return;
  keep_those(free, scheduler_.current(), [&](ThreadId id) {
    const ElementOrders::Part part = orders_.part_of(scheduler_.thread(id).lineage);
    return part.accesses == 0 || !least.is_less_than(part);
  });
}

namespace {

// Ranks of threads, least first: nothing is known of it; the number of the entry into the block that it is in;
// what comes before its next entry; it has entered all that it has to.
constexpr std::uint64_t kUnknown = 0, kNextOnes = 1ull << 32, kDone = 1ull << 34;

}  // namespace

std::uint64_t ElementTurns::rank_of(const Thread& t) const {
  const bool is_entry = may_be_put_off(t.pending);
  const bool is_told = t.awaited_order != 0 && orders_.is_of_entries(t.awaited_order - 1);
  const std::uint32_t place = orders_.next_entry(t.lineage);
  if (t.entered == 0 && place == ElementOrders::kNone) return kUnknown;
  if (t.entered != 0 && (!is_entry || (orders_.enters_early() && !is_told))) return t.entered;
  return place != ElementOrders::kNone ? kNextOnes + place : kDone;
}

// Cuts threads that could run to those that are in a block, who entered it first before others; then to who
// is to enter one next, and in the end to who has entered all that it has to. Nothing is known of threads
// that enter none.
void ElementTurns::keep_next_to_enter(FreeThreads& free) {
  std::uint64_t first = ~0ull;
  ElementOrders::Part whose;
  whose.made = orders_.entries_made();
  for (std::uint32_t i = 0; i < free.count; ++i) {
    const Thread& t = scheduler_.thread(free.threads[i]);
    const std::uint64_t rank = rank_of(t);
    if (rank == kUnknown || rank >= first) continue;
    first = rank;
    whose.lineage = t.lineage;
  }
  if (first == ~0ull || orders_.is_in_vain(whose)) return;
  keep_those(free, scheduler_.current(),
             [&](ThreadId id) { return rank_of(scheduler_.thread(id)) <= first; });
}

std::uint32_t ElementTurns::unkept_order() const {
  std::uint32_t found = ElementOrders::kNone;
  for (const ThreadId id : scheduler_.runnable()) {
    const Thread& t = scheduler_.thread(id);
    for (const std::uint32_t awaited : {t.awaited_mutex, t.awaited_order}) {
      if (awaited != 0 && !orders_.is_turn(awaited - 1, t.lineage)) found = awaited - 1;
    }
  }
  return found;
}

}  // namespace heddle::engine
