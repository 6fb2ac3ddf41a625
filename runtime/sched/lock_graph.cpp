#include "runtime/sched/lock_graph.h"

#include "core/base/pages.h"
#include "core/base/random.h"

namespace heddle::sched {
namespace {

constexpr std::uint32_t kSearchSteps = 20'000;
// One order at different times meets different others; a loop need not be told a thousand times.
constexpr std::uint32_t kRepeats = 4;

std::uint32_t gate_of(const HeldLock& lock) { return lock.serial << 1 | (lock.shared ? 1u : 0u); }

// Two threads cannot be inside both: a lock that both hold, at least one of them for writing.
bool share_gate(const LockOrder& a, const LockOrder& b) {
  for (std::uint32_t i = 0; i < a.gate_count; ++i) {
    for (std::uint32_t k = 0; k < b.gate_count; ++k) {
      if (a.gates[i] >> 1 == b.gates[k] >> 1 && (a.gates[i] & b.gates[k] & 1) == 0) return true;
    }
  }
  return false;
}

// Would the thread of `a` wait for the thread of `b`, which holds what `a` takes second?
bool waits_for(const LockOrder& a, const LockOrder& b) {
  return a.second.serial == b.first.serial && !(a.second.shared && b.first.shared);
}

}  // namespace

void LockGraph::start() {
  held_ = static_cast<Held*>(map_pages(kMaxThreads * sizeof(Held)));
  rows_ = static_cast<Row*>(map_pages(kRows * sizeof(Row)));
  orders_ = static_cast<LockOrder*>(map_pages(kOrders * sizeof(LockOrder)));
  rows_[0].time[0] = 1;
}

void LockGraph::name(ThreadId thread, Address lock) {
  Held& h = held_[index_of(thread)];
  for (std::uint32_t i = 0; i < h.count; ++i) {
    if (h.locks[i].lock->address == lock) h.locks[i].is_named = true;
  }
}

std::span<const HeldLock> LockGraph::held(ThreadId thread) const {
  const Held& h = held_[index_of(thread)];
  return {h.locks, h.count};
}

void LockGraph::merge(std::uint32_t from, std::uint32_t into) {
  if (from == kThreads || into == kThreads) return;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    if (rows_[from].time[i] > rows_[into].time[i]) rows_[into].time[i] = rows_[from].time[i];
  }
}

void LockGraph::created(ThreadId parent, ThreadId child) {
  if (!tracked(parent) || !tracked(child)) return;
  // The slot's former thread has ended; its time goes on, so that its orders stay older.
  const std::uint32_t time = rows_[row(child)].time[row(child)];
  rows_[row(child)] = rows_[row(parent)];
  rows_[row(child)].time[row(child)] = time + 1;
  ++rows_[row(parent)].time[row(parent)];
}

void LockGraph::release(ThreadId thread, SyncObject& object) {
  if (!tracked(thread)) return;
  if (object.order_row == 0) object.order_row = new_row();
  if (object.order_row == 0) return;
  merge(row(thread), object.order_row);
  ++rows_[row(thread)].time[row(thread)];
}

void LockGraph::acquire(ThreadId thread, const SyncObject& object) {
  if (tracked(thread) && object.order_row != 0) merge(object.order_row, row(thread));
}

void LockGraph::released_beside_others(Held& h, const SyncObject& lock) {
  for (std::uint32_t i = h.count; i-- > 0;) {
    if (h.locks[i].lock != &lock) continue;
    --h.count;
    for (; i < h.count; ++i) h.locks[i] = h.locks[i + 1];
    return;
  }
}

const LockCycle* LockGraph::acquired_beside_others(ThreadId thread, SyncObject& lock, bool shared,
                                                   bool could_wait, const CodePlace& place) {
  Held& h = held_[index_of(thread)];
  const HeldLock taken{&lock, lock.serial, shared, false, place};
  const LockCycle* found = nullptr;
  if (could_wait && tracked(thread)) {
    for (std::uint32_t i = 0; i < h.count && found == nullptr; ++i) {
      if (h.locks[i].serial == lock.serial) continue;  // read twice
      const LockOrder* order = add(thread, h.locks[i], taken, h);
      if (order == nullptr) continue;
      cycle_ = {};
      cycle_.orders[cycle_.length++] = order;
      steps_left_ = kSearchSteps;
      if (extend(cycle_)) found = &cycle_;
    }
  }
  if (h.count < kMaxHeld) h.locks[h.count++] = taken;
  return found;
}

// nullptr if the order is known already, or if there is no room for it.
const LockOrder* LockGraph::add(ThreadId thread, const HeldLock& first, const HeldLock& second,
                                const Held& all) {
  LockOrder fresh;
  fresh.first = first;
  fresh.second = second;
  fresh.thread = thread;
  fresh.time = rows_[row(thread)].time[row(thread)];
  for (std::uint32_t i = 0; i < all.count; ++i) {
    if (all.locks[i].serial != first.serial && fresh.gate_count < LockOrder::kMaxGates)
      fresh.gates[fresh.gate_count++] = gate_of(all.locks[i]);
  }
  std::uint32_t repeated = 0;
  for (std::uint32_t i = 0; i < order_count_; ++i) {
    const LockOrder& known = orders_[i];
    if (known.thread != thread || gate_of(known.first) != gate_of(first) ||
        gate_of(known.second) != gate_of(second) || known.gate_count != fresh.gate_count)
      continue;
    bool same = true;
    for (std::uint32_t k = 0; k < fresh.gate_count; ++k) same = same && known.gates[k] == fresh.gates[k];
    if (same && (known.time == fresh.time || ++repeated == kRepeats)) return nullptr;
  }
  if (order_count_ == kOrders) return nullptr;
  fresh.before = new_row();
  if (fresh.before == 0) return nullptr;
  rows_[fresh.before] = rows_[row(thread)];
  orders_[order_count_] = fresh;
  return &orders_[order_count_++];
}

bool LockGraph::may_meet(const LockOrder& a, const LockOrder& b) const {
  if (a.thread == b.thread || a.second.serial == b.second.serial || share_gate(a, b)) return false;
  // The row has the latest release of the other thread that was seen: not older than `time`, it came after.
  return rows_[b.before].time[row(a.thread)] < a.time && rows_[a.before].time[row(b.thread)] < b.time;
}

bool LockGraph::extend(LockCycle& cycle) {
  const LockOrder& last = *cycle.orders[cycle.length - 1];
  if (cycle.length > 1 && waits_for(last, *cycle.orders[0])) return is_new(cycle);
  if (cycle.length == LockCycle::kMaxLength) return false;
  for (std::uint32_t i = 0; i < order_count_; ++i) {
    if (steps_left_ == 0) return false;
    --steps_left_;
    const LockOrder& next = orders_[i];
    if (!waits_for(last, next)) continue;
    bool fits = true;
    for (std::uint32_t k = 0; k < cycle.length && fits; ++k) fits = may_meet(*cycle.orders[k], next);
    if (!fits) continue;
    cycle.orders[cycle.length++] = &next;
    if (extend(cycle)) return true;
    --cycle.length;
  }
  return false;
}

// Each set of locks is told once.
bool LockGraph::is_new(const LockCycle& cycle) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < cycle.length; ++i) sum += mix(1, cycle.orders[i]->first.serial);
  for (std::uint32_t i = 0; i < reported_count_; ++i) {
    if (reported_[i] == sum) return false;
  }
  if (reported_count_ == kReported) return false;
  reported_[reported_count_++] = sum;
  return true;
}

}  // namespace heddle::sched
