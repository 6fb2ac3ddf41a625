#include "runtime/engine/rules.h"

namespace heddle::engine {

using sched::Thread;

namespace {

bool is_at(const CodePlace& place, const Thread& thread, std::uint64_t pc) {
  if (place.pc == 0) return true;
  if (place.pc != pc) return false;
  const std::uint32_t depth = thread.depth < sched::kMaxCallDepth ? thread.depth : 0;
  for (std::uint32_t i = 0; i < CodePlace::kMostCallers && place.callers[i] != 0; ++i) {
    if (i >= depth || thread.frames[depth - 1 - i].pc != place.callers[i]) return false;
  }
  return true;
}

}  // namespace

bool Rules::locks_plain_accesses() const {
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind == RuleKind::kLocked) return true;
  }
  return false;
}

MemoryOrder Rules::order_at(const Thread& thread, std::uint64_t pc, MemoryOrder order) const {
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind == RuleKind::kStrengthen && is_at(rule.place, thread, pc))
      order = join_of(order, rule.order);
  }
  return order;
}

bool Rules::keeps_turn(Thread& t, std::uint64_t pc) {
  if (t.region == 0) return false;
  const EnforcedRule& rule = rules_[t.region - 1];
  // It is done, has left the function by another way, or begins again.
  if (t.region_done || t.depth < t.region_depth || is_at(rule.place, t, pc)) {
    edges_.release(clock_);
    t.region = 0;
    return false;
  }
  return true;
}

void Rules::note_turn(Thread& t, std::uint64_t pc) {
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const EnforcedRule& rule = rules_[i];
    if (rule.kind == RuleKind::kAfter && is_at(rule.other, t, pc)) met_ |= std::uint64_t{1} << i;
    if (rule.kind != RuleKind::kTogether) continue;
    if (t.region == 0 && is_at(rule.place, t, pc)) {
      edges_.acquire(clock_, t.id);
      t.region = static_cast<std::uint8_t>(i + 1);
      t.region_done = false;
      const std::uint32_t inside = rule.frames_left;
      t.region_depth = t.depth > inside ? t.depth - inside : 0;
    }
    if (t.region != 0 && is_at(rule.other, t, pc)) t.region_done = true;
  }
}

bool Rules::must_wait(const Thread& t) const {
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const EnforcedRule& rule = rules_[i];
    if (rule.kind == RuleKind::kAfter && (met_ >> i & 1) == 0 && is_at(rule.place, t, t.pending.pc))
      return true;
  }
  return false;
}

void Rules::lock_plain_access(const Thread& t, std::uint64_t pc) {
  for (const EnforcedRule& rule : rules_) {
    // What is to come later comes after what it waits for, for the race detector, too.
    if (rule.kind == RuleKind::kAfter) {
      if (is_at(rule.place, t, pc)) edges_.acquire(clock_, t.id);
      under_plain_lock_ = under_plain_lock_ || is_at(rule.other, t, pc);
    }
    if (rule.kind != RuleKind::kLocked) continue;
    if (is_at(rule.place, t, pc) || is_at(rule.other, t, pc)) {
      edges_.acquire(clock_, t.id);
      under_plain_lock_ = true;
      return;
    }
  }
}

}  // namespace heddle::engine
