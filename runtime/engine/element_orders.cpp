// Accesses to shared program elements as scheduling points, and in given orders.
#include "runtime/engine/element_orders.h"

#include "core/base/pages.h"
#include "runtime/engine/execution.h"

namespace heddle::engine {

using sched::Thread;

namespace {

constexpr std::uint32_t kNoPosition = 512;  // … of at most so many threads

// Cuts threads to those that `is_kept` says. `own_position`: that of `own` among them, or none of theirs.
template <typename IsKept>
std::uint32_t keep_those(ThreadId* threads, std::uint32_t count, ThreadId own, std::uint32_t& own_position,
                         IsKept is_kept) {
  own_position = kNoPosition;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_kept(threads[i])) continue;
    if (threads[i] == own) own_position = kept;
    threads[kept++] = threads[i];
  }
  return kept;
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

void ElementOrders::start(OrderTable* table, bool profiles) {
  table_ = table != nullptr && table->vectors != 0 ? table : nullptr;
  if (table_ == nullptr) return;
  profiles_ = profiles;
  const std::uint64_t words = 2 * std::uint64_t{table_->vectors} + table_->runs;
  at_ = static_cast<std::uint32_t*>(map_pages(words * sizeof(std::uint32_t)));
  HEDDLE_CHECK(at_ != nullptr);
  reached_ = at_ + table_->vectors;
  made_ = reached_ + table_->vectors;
  locks_ = static_cast<TakenLock*>(map_pages(kTakenLocks * sizeof(TakenLock)));
  HEDDLE_CHECK(locks_ != nullptr);
  if (table_->keeps_abreast != 0) count_parts();
  if (table_->follows_entries != 0) entries_ = find(kAllEntries);
}

void ElementOrders::count_parts() {
  parts_ = static_cast<Part*>(map_pages(kParts * sizeof(Part)));
  HEDDLE_CHECK(parts_ != nullptr);
  for (std::uint32_t i = 0; i < table_->runs; ++i) {
    const OrderRun& run = table_->run()[i];
    Part* part = find_part(run.lineage);
    if (part == nullptr) continue;
    part->lineage = run.lineage;
    part->accesses = run.accesses < ~part->accesses ? part->accesses + run.accesses : ~0u;
  }
}

// Its place, or a free one for it.
ElementOrders::Part* ElementOrders::find_part(std::uint64_t lineage) const {
  for (std::uint32_t i = 0; i < kParts; ++i) {
    Part& part = parts_[(mix(lineage, 0) + i) % kParts];
    if (part.lineage == lineage || part.accesses == 0) return &part;
  }
  return nullptr;
}

bool ElementOrders::is_incomplete() const {
  for (std::uint32_t i = 0; i < table_->vectors; ++i) {
    if (tells_of_one_run(i) && !is_over(i)) return true;
  }
  return false;
}

bool ElementOrders::has_left(std::uint64_t lineage) const {
  for (std::uint32_t i = 0; i < table_->vectors; ++i) {
    if (tells_of_one_run(i) && next_place(i, lineage) != kNone) return true;
  }
  return false;
}

bool ElementOrders::is_in_vain(const Part& first) {
  constexpr std::uint32_t kPatience = 200;
  constexpr std::uint32_t kOneIn = 4;  // steps is its own then
  const bool is_same = first.lineage == first_.lineage && first.made == first_.made;
  steps_of_first_ = is_same ? steps_of_first_ + 1 : 0;
  first_ = first;
  return steps_of_first_ > kPatience && steps_of_first_ % kOneIn != 0;
}

ElementOrders::Part ElementOrders::part_of(std::uint64_t lineage) const {
  const Part* part = find_part(lineage);
  return part != nullptr ? *part : Part{};
}

void ElementOrders::took_lock(ThreadId thread, Address lock, std::uint32_t vector, std::uint64_t element) {
  if (table_ != nullptr) taken_lock(thread, lock) = {lock, element, index_of(thread), vector};
}

std::uint32_t ElementOrders::vector_of_lock(ThreadId thread, Address lock) const {
  if (table_ == nullptr) return kNone;
  const TakenLock& taken = taken_lock(thread, lock);
  return taken.lock == lock && taken.thread == index_of(thread) ? taken.vector : kNone;
}

std::uint64_t ElementOrders::element_of_lock(ThreadId thread, Address lock) const {
  if (table_ == nullptr) return 0;
  const TakenLock& taken = taken_lock(thread, lock);
  return taken.lock == lock && taken.thread == index_of(thread) ? taken.element : 0;
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
  if (is_given_up(vector)) return true;
  if (is_over(index)) return rest_is_free_;
  const OrderRun* runs = table_->run() + vector.first;
  const std::uint32_t end = group_end(vector, at_[index]);
  for (std::uint32_t i = at_[index]; i < end; ++i) {
    if (runs[i].lineage == lineage && made_[vector.first + i] < runs[i].accesses) return true;
  }
  return false;
}

bool ElementOrders::is_waited_for(std::uint64_t lineage) const {
  for (std::uint32_t i = 0; i < table_->vectors; ++i) {
    const OrderVector& vector = table_->vector()[i];
    if (vector.is_lent != 1 && i != entries_ && !is_over(i) &&
        table_->run()[vector.first + at_[i]].lineage == lineage)
      return true;
  }
  return false;
}

std::uint32_t ElementOrders::next_place(std::uint32_t index, std::uint64_t lineage) const {
  const OrderVector& vector = table_->vector()[index];
  const OrderRun* runs = table_->run() + vector.first;
  std::uint32_t before = 0;
  for (std::uint32_t i = at_[index]; i < vector.count; ++i) {
    const std::uint32_t left = runs[i].accesses - made_[vector.first + i];
    if (left != 0 && runs[i].lineage == lineage) return before;
    before += left;
  }
  return kNone;
}

void ElementOrders::passed(std::uint32_t index, std::uint64_t lineage) {
  OrderVector& vector = table_->vector()[index];
  if (is_over(index) || is_given_up(vector)) return;
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
  if (counted) {
    vector.reached = ++reached_[index];
    made_one(lineage);
  }
  if (!counted) take_later_place(vector, end, lineage);
  // (Places of later groups may have been taken before their turn.)
  for (std::uint32_t next = end; complete; next = group_end(vector, at_[index])) {
    at_[index] = next;
    if (next == vector.count) break;
    const std::uint32_t next_end = group_end(vector, next);
    for (std::uint32_t i = next; i < next_end; ++i) complete = complete && made[i] >= runs[i].accesses;
  }
}

void ElementOrders::entered(std::uint32_t vector, std::uint64_t lineage) {
  passed(vector, lineage);
  if (entries_ != kNone && is_of_entries(vector)) passed(entries_, lineage);
}

// The thread came out of turn: it has its place no more when that comes.
void ElementOrders::take_later_place(OrderVector& vector, std::uint32_t from, std::uint64_t lineage) {
  ++vector.out_of_turn;
  const OrderRun* runs = table_->run() + vector.first;
  for (std::uint32_t i = from; i < vector.count; ++i) {
    if (runs[i].lineage != lineage || made_[vector.first + i] >= runs[i].accesses) continue;
    ++made_[vector.first + i];
    made_one(lineage);
    return;
  }
}

void ElementOrders::made_one(std::uint64_t lineage) {
  if (parts_ == nullptr) return;
  Part* part = find_part(lineage);
  if (part != nullptr && part->made < part->accesses) ++part->made;
}

void Execution::element_access(std::uint32_t order, const ElementRange& range, std::uint64_t pc) {
  Thread& t = self();
  if (t.ignored) return;
  if (orders_.profiles()) {
    if (order != ElementOrders::kNone && !scheduler_.is_alone()) profile_access(order, range);
    if (spec().element_points == 0) return;
    order = ElementOrders::kNone;
  }
  const EventKind kind = range.writes ? EventKind::kPlainWrite : EventKind::kPlainRead;
  t.awaited_order = order != ElementOrders::kNone ? order + 1 : 0;
  visible({kind, MemoryOrder::kRelaxed, 0, range.begin, pc});
  done(kind, 0);
  changed();  // how long a loop of plain accesses may last is not for fairness to say
  if (range.begin != 0) return element_passed();
  t.entered = ++entered_;
  if (t.awaited_order != 0) orders_.entered(t.awaited_order - 1, t.lineage);
  t.awaited_order = 0;
}

void Execution::await_element(std::uint32_t order, const ElementRange& range) {
  Thread& t = self();
  if (t.ignored || order == ElementOrders::kNone) return;
  if (orders_.profiles()) {
    if (scheduler_.is_alone()) return;
    orders_.saw(order, t.id);
    if (spec().plain_events == PlainEvents::kFindShared && range.begin != 0) touch_granules(range);
    return;
  }
  t.awaited_order = order + 1;
}

void Execution::await_mutex(Address mutex) {
  Thread& t = self();
  if (t.ignored || !orders_.any()) return;
  const std::uint32_t order = orders_.vector_of_lock(t.id, mutex);
  if (order != ElementOrders::kNone) t.awaited_mutex = order + 1;
}

void Execution::element_passed() {
  Thread& t = self();
  for (std::uint32_t* awaited : {&t.awaited_order, &t.awaited_mutex}) {
    if (*awaited != 0) orders_.passed(*awaited - 1, t.lineage);
    *awaited = 0;
  }
}

void Execution::lock_passed(Address lock, std::uint32_t order, std::uint64_t element) {
  element_passed();
  orders_.took_lock(scheduler_.current(), lock, order, element);
  if (orders_.profiles()) locks_.name(scheduler_.current(), lock);
}

// The mutex was taken again, by the name by which it was taken before.
void Execution::wait_passed(Address mutex) {
  element_passed();
  if (orders_.profiles()) locks_.name(scheduler_.current(), mutex);
}

bool Execution::is_out_of_turn(const Thread& t, std::uint32_t giving_way) const {
  // That a wait begins was its turn already: what is awaited is its end.
  if (t.pending.kind == EventKind::kCondWait) return false;
  if (t.pending.kind == EventKind::kThreadEnd && orders_.has_left(t.lineage)) return true;
  for (const std::uint32_t awaited : {t.awaited_order, t.awaited_mutex}) {
    if (awaited == 0 || orders_.is_turn(awaited - 1, t.lineage)) continue;
    if (!orders_.gives_way(awaited - 1, giving_way)) return true;
  }
  return false;
}

// Of threads that wait for a condition the one whose wait ends first in the orders that it is held to, which
// says whom a signal woke. As with threads, the choice is logged as one among all. kNone: nothing is said.
std::uint32_t Execution::waiter_in_order(Thread* const* waiters, const ChoiceKey* keys, std::uint32_t count) {
  if (!orders_.any() || count < 2 || fairness_.is_fair()) return ElementOrders::kNone;
  std::uint32_t first = ElementOrders::kNone;
  std::uint32_t least = ElementOrders::kNone;
  for (std::uint32_t i = 0; i < count; ++i) {
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
  if (first == ElementOrders::kNone) return first;
  strategy::ChoicePoint point;
  point.kind = ChoiceKind::kWakeUp;
  point.thread = scheduler_.current();
  point.count = count;
  point.keys = keys;
  if (!begun_) hooks_.at_first_choice();
  log_.add([&] { return Choice::make(point.kind, hash_alternatives(point), keys[first]); });
  return first;
}

// Cuts threads that could run to those that an order waits for, seven times in eight.
std::uint32_t Execution::keep_waited_for(ThreadId* free, std::uint32_t count, std::uint32_t& own_position) {
  if (mix(spec().seed, channel_.header()->current.steps) % 8 == 0) return count;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (orders_.is_waited_for(scheduler_.thread(free[i]).lineage)) ++kept;
  }
  if (kept == 0 || kept == count) return count;
  return keep_those(free, count, scheduler_.current(), own_position,
                    [&](ThreadId id) { return orders_.is_waited_for(scheduler_.thread(id).lineage); });
}

// Cuts threads that could run to those that are behind all others.
std::uint32_t Execution::keep_hindmost(ThreadId* free, std::uint32_t count, std::uint32_t& own_position) {
  ElementOrders::Part least;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ElementOrders::Part part = orders_.part_of(scheduler_.thread(free[i]).lineage);
    if (part.accesses != 0 && (least.accesses == 0 || part.is_less_than(least))) least = part;
  }
  if (least.accesses == 0 || orders_.is_in_vain(least)) return count;
  return keep_those(free, count, scheduler_.current(), own_position, [&](ThreadId id) {
    const ElementOrders::Part part = orders_.part_of(scheduler_.thread(id).lineage);
    return part.accesses == 0 || !least.is_less_than(part);
  });
}

// Cuts threads that could run to those that are in a block, who entered it first before others; then to who
// is to enter one next, and in the end to who has entered all that it has to. Nothing is known of threads
// that enter none.
std::uint32_t Execution::keep_next_to_enter(ThreadId* free, std::uint32_t count,
                                            std::uint32_t& own_position) {
  constexpr std::uint64_t kUnknown = 0, kNextOnes = 1ull << 32, kDone = 1ull << 34;
  const auto rank_of = [&](const Thread& t) -> std::uint64_t {
    const bool is_entry = may_be_put_off(t.pending);
    const bool is_told = t.awaited_order != 0 && orders_.is_of_entries(t.awaited_order - 1);
    const std::uint32_t place = orders_.next_entry(t.lineage);
    if (t.entered == 0 && place == ElementOrders::kNone) return kUnknown;
    if (t.entered != 0 && (!is_entry || (orders_.enters_early() && !is_told))) return t.entered;
    return place != ElementOrders::kNone ? kNextOnes + place : kDone;
  };
  std::uint64_t first = ~0ull;
  ElementOrders::Part whose;
  whose.made = orders_.entries_made();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Thread& t = scheduler_.thread(free[i]);
    const std::uint64_t rank = rank_of(t);
    if (rank == kUnknown || rank >= first) continue;
    first = rank;
    whose.lineage = t.lineage;
  }
  if (first == ~0ull || orders_.is_in_vain(whose)) return count;
  return keep_those(free, count, scheduler_.current(), own_position,
                    [&](ThreadId id) { return rank_of(scheduler_.thread(id)) <= first; });
}

// The choice is logged as one among all that can run, as it would be without orders.
ThreadId Execution::choose_in_order(bool can_continue) {
  if (runs_on_) return next_in_turn();
  constexpr std::uint32_t kMost = kNoPosition;
  const auto runnable = scheduler_.runnable();
  ThreadId free[kMost];
  std::uint32_t count = 0;
  std::uint32_t own_position = kMost;
  const auto gather = [&](std::uint32_t giving_way) {
    for (const ThreadId id : runnable) {
      const Thread& t = scheduler_.thread(id);
      if (count == kMost || must_wait(t)) continue;
      if (is_out_of_turn(t, giving_way)) continue;
      if (id == scheduler_.current()) own_position = count;
      free[count++] = id;
    }
  };
  gather(0);
  if (count == 0) gather(1);
  if (count == 0 && !orders_.rest_is_free() && !orders_.is_incomplete()) {
    // What was recorded may end in the middle of what happened: only now may anybody go beyond it.
    orders_.release_rest();
    gather(0);
  }
  if (count == 0) gather(2);
  if (count == 0) report_infeasible();
  if (runnable.size() == 1) return runnable[0];
  if (count > 1 && orders_.prefers_turns()) count = keep_waited_for(free, count, own_position);
  if (count > 1 && orders_.keeps_abreast()) count = keep_hindmost(free, count, own_position);
  if (count > 1 && orders_.follows_entries()) count = keep_next_to_enter(free, count, own_position);
  const std::uint32_t hash = thread_alternatives_hash(can_continue);
  if (fairness_.is_fair()) {
    ThreadId next = free[0];
    for (std::uint32_t i = count; i-- > 0;) {
      if (index_of(free[i]) > index_of(scheduler_.current())) next = free[i];
    }
    log_thread(next, can_continue);
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
  log_.add([&] { return Choice::make(ChoiceKind::kThread, hash, ChoiceKey::thread(free[0])); });
  return free[0];
}

// Nobody can go on: who could run waits for the turn of somebody who has ended, or waits in the program
// itself.
void Execution::report_infeasible() {
  for (const ThreadId id : scheduler_.runnable()) {
    const Thread& t = scheduler_.thread(id);
    for (const std::uint32_t awaited : {t.awaited_mutex, t.awaited_order}) {
      if (awaited != 0 && !orders_.is_turn(awaited - 1, t.lineage))
        channel_.header()->current.divergence_choice = awaited - 1;
    }
  }
  finish(Ending::kInfeasible, 0);
}

}  // namespace heddle::engine
