#include "runtime/engine/element_orders.h"

#include "core/base/check.h"
#include "core/base/pages.h"
#include "core/base/random.h"

namespace heddle::engine {

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
  if (table_->follows_entries != kEntriesLeft) entries_ = find(kAllEntries);
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

// The thread's part, or a free one for it.
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
    if (vector.is_lent != kLentOrder && i != entries_ && !is_over(i) &&
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

}  // namespace heddle::engine
