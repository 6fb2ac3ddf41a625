// Holds an execution to rules that the program does not keep (core/trace/enforcement.h).
#include "runtime/engine/execution.h"
#include "runtime/engine/injection.h"

namespace heddle::engine {

using sched::Thread;

bool Execution::is_at(const CodePlace& place, const Thread& thread, std::uint64_t pc) const {
  if (place.pc == 0) return true;
  if (place.pc != pc) return false;
  const std::uint32_t depth = thread.depth < sched::kMaxCallDepth ? thread.depth : 0;
  for (std::uint32_t i = 0; i < CodePlace::kMostCallers && place.callers[i] != 0; ++i) {
    if (i >= depth || thread.frames[depth - 1 - i].pc != place.callers[i]) return false;
  }
  return true;
}

MemoryOrder Execution::enforced_order(std::uint64_t pc, MemoryOrder order) const {
  for (std::uint32_t i = 0; i < spec().rule_count; ++i) {
    const EnforcedRule& rule = spec().rules[i];
    if (rule.kind == RuleKind::kStrengthen && is_at(rule.place, scheduler_.thread(scheduler_.current()), pc))
      order = join_of(order, rule.order);
  }
  return order;
}

bool Execution::keeps_turn(Thread& t, std::uint64_t pc) {
  if (t.region == 0) return false;
  const EnforcedRule& rule = spec().rules[t.region - 1];
  // It is done, has left the function by another way, or begins again.
  if (t.region_done || t.depth < t.region_depth || is_at(rule.place, t, pc)) {
    edges_.release(rules_clock_);
    t.region = 0;
    return false;
  }
  return true;
}

void Execution::note_turn(Thread& t, std::uint64_t pc) {
  inject_atomic(*this, t.pending);
  for (std::uint32_t i = 0; i < spec().rule_count; ++i) {
    const EnforcedRule& rule = spec().rules[i];
    if (rule.kind == RuleKind::kAfter && is_at(rule.other, t, pc)) rules_met_ |= std::uint64_t{1} << i;
    if (rule.kind != RuleKind::kTogether) continue;
    if (t.region == 0 && is_at(rule.place, t, pc)) {
      edges_.acquire(rules_clock_, t.id);
      t.region = static_cast<std::uint8_t>(i + 1);
      t.region_done = false;
      const std::uint32_t inside = rule.frames_left;
      t.region_depth = t.depth > inside ? t.depth - inside : 0;
    }
    if (t.region != 0 && is_at(rule.other, t, pc)) t.region_done = true;
  }
}

// A plain access is over before anybody else has a turn: the lock need not be held, only to have been taken
// and released.
void Execution::lock_plain_access(std::uint64_t pc) {
  for (std::uint32_t i = 0; i < spec().rule_count; ++i) {
    const EnforcedRule& rule = spec().rules[i];
    if (rule.kind != RuleKind::kLocked) continue;
    if (is_at(rule.place, self(), pc) || is_at(rule.other, self(), pc)) {
      edges_.acquire(rules_clock_, scheduler_.current());
      under_plain_lock_ = true;
      return;
    }
  }
}

void Execution::unlock_plain_access() {
  edges_.release(rules_clock_);
  under_plain_lock_ = false;
}

bool Execution::must_wait(const Thread& t) const {
  for (std::uint32_t i = 0; i < spec().rule_count; ++i) {
    const EnforcedRule& rule = spec().rules[i];
    if (rule.kind == RuleKind::kAfter && (rules_met_ >> i & 1) == 0 && is_at(rule.place, t, t.pending.pc))
      return true;
  }
  return false;
}

ThreadId Execution::choose_free_thread(bool can_continue) {
  constexpr std::uint32_t kMost = 512;
  const auto runnable = scheduler_.runnable();
  ThreadId free[kMost];
  std::uint32_t count = 0;
  std::uint32_t own_position = kMost;
  for (const ThreadId id : runnable) {
    if (count == kMost || must_wait(scheduler_.thread(id))) continue;
    if (id == scheduler_.current()) own_position = count;
    free[count++] = id;
  }
  if (count == 0) return can_continue ? scheduler_.current() : runnable[0];
  if (count == 1) return free[0];
  strategy::ChoicePoint point;
  point.thread = scheduler_.current();
  point.thread_can_continue = own_position != kMost;
  point.count = count;
  point.threads = free;
  point.fallback = own_position != kMost ? own_position : 0;
  point.alternatives_hash = hash_alternatives(point);
  return free[pick(point)];
}

}  // namespace heddle::engine
