#include "runtime/engine/rules.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;

namespace {

bool is_called_directly_at(const CodePlace& place, const Thread& thread) {
  const std::uint32_t depth = thread.depth < sched::kMaxCallDepth ? thread.depth : 0;
  for (std::uint32_t i = 0; i < CodePlace::kMostCallers && place.callers[i] != 0; ++i) {
    if (i >= depth || thread.frames[depth - 1 - i].pc != place.callers[i]) return false;
  }
  return true;
}

// A call that a library made: no shadow stack has its frames, but it is known where the program called the library. From
// there on the callers are those of the shadow stack.
bool is_called_by_library_at(const CodePlace& place, const Thread& thread, std::uint64_t site) {
  std::uint32_t at = 0;
  while (at < CodePlace::kMostCallers && place.callers[at] != 0 && place.callers[at] != site) ++at;
  if (at == CodePlace::kMostCallers || place.callers[at] != site) return false;
  const std::uint32_t depth = thread.depth < sched::kMaxCallDepth ? thread.depth : 0;
  const std::uint32_t first = at + 1;
  for (std::uint32_t k = first; k < CodePlace::kMostCallers && place.callers[k] != 0; ++k) {
    const std::uint32_t i = k - first;
    if (i >= depth || thread.frames[depth - 1 - i].pc != place.callers[k]) return false;
  }
  return true;
}

bool is_called_at(const CodePlace& place, const Thread& thread, std::uint64_t pc, std::uint64_t site) {
  if (place.pc == 0) return true;
  if (place.pc != pc) return false;
  return is_called_directly_at(place, thread) || (site != 0 && is_called_by_library_at(place, thread, site));
}

bool is_at(const CodePlace& place, const Thread& thread, std::uint64_t pc) {
  return is_called_at(place, thread, pc, thread.rule_site);
}

constexpr bool is_hand_over(RuleKind kind) {
  return kind == RuleKind::kHandOver || kind == RuleKind::kHandOverOne;
}

}  // namespace

void Rules::start(std::span<const EnforcedRule> rules) {
  rules_ = rules;
  name_callers_ = false;
  for (const EnforcedRule& rule : rules)
    name_callers_ = name_callers_ || rule.place.callers[0] != 0 || rule.other.callers[0] != 0;
}

bool Rules::locks_plain_accesses() const {
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind == RuleKind::kLocked || rule.kind == RuleKind::kAtomic) return true;
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

template <typename Do>
void Rules::for_each_lock(Do&& act) const {
  for (std::uint32_t i = 0; i < lock_count_; ++i) {
    if (sched::SyncObject* lock = sync_.find(locks_[i]); lock != nullptr) act(*lock);
  }
}

bool Rules::keeps_turn(Thread& t, std::uint64_t pc) {
  if (t.region == 0) return false;
  const EnforcedRule& rule = rules_[t.region - 1];
  // It is done, has left the function by another way, or begins again.
  if (t.region_done || t.depth < t.region_depth || is_at(rule.place, t, pc)) {
    if (t.region_locks) for_each_lock([&](sched::SyncObject& lock) { edges_.release(lock.clock); });
    if (held_by_ == t.id) held_by_ = kNoThread;
    edges_.release(clock_);
    t.region = 0;
    t.region_locks = false;
    return false;
  }
  return true;
}

// The lock that a rule wants held is any that is taken at its place: objects may come and go.
void Rules::note_lock(const Thread& t) {
  if (!is_to_be_held(t.pending.address) && lock_count_ < kMostLocks)
    locks_[lock_count_++] = t.pending.address;
}

void Rules::note_turn(Thread& t, std::uint64_t pc) {
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const EnforcedRule& rule = rules_[i];
    if (rule.kind == RuleKind::kAfter && is_at(rule.other, t, pc)) met_[i / 64] |= std::uint64_t{1} << i % 64;
    if (rule.kind == RuleKind::kStartAfter && is_at(rule.other, t, pc)) {
      performed_at_[i] = ++performed_;
      edges_.release(clock_);
    }
    if (rule.kind == RuleKind::kAfterEnd && is_at(rule.place, t, pc)) edges_.acquire(clock_, t.id);
    if (rule.kind == RuleKind::kFence && is_at(rule.place, t, pc)) edges_.fence(rule.order);
    if (rule.kind == RuleKind::kGiveBack && t.pending.kind == EventKind::kMutexLock &&
        is_at(rule.other, t, pc))
      note_lock(t);
    if (rule.kind == RuleKind::kHoldLock) {
      // Before the lock was taken for the first time it is not known which one it is: until then the rule's own clock
      // orders the two.
      if (t.pending.kind == EventKind::kMutexLock && is_at(rule.other, t, pc)) {
        edges_.acquire(clock_, t.id);
        note_lock(t);
      }
      if (is_at(rule.place, t, pc)) {
        edges_.acquire(clock_, t.id);
        for_each_lock([&](const sched::SyncObject& lock) { edges_.acquire(lock.clock, t.id); });
        t.region_locks = true;
        if (t.region == 0) {
          t.region = static_cast<std::uint8_t>(i + 1);
          t.region_done = true;
          t.region_depth = 0;
        }
      }
    }
    if (rule.kind != RuleKind::kTogether) continue;
    // A step that begins where a lock is to be held ends later than that operation.
    const bool is_free = t.region == 0 || rules_[t.region - 1].kind == RuleKind::kHoldLock;
    if (is_free && is_at(rule.place, t, pc)) {
      edges_.acquire(clock_, t.id);
      t.region = static_cast<std::uint8_t>(i + 1);
      t.region_done = false;
      if (t.region_locks) held_by_ = t.id;
      const std::uint32_t inside = rule.frames_left;
      t.region_depth = t.depth > inside ? t.depth - inside : 0;
    }
    if (t.region != 0 && is_at(rule.other, t, pc)) t.region_done = true;
  }
}

bool Rules::is_to_be_held(Address lock) const {
  for (std::uint32_t i = 0; i < lock_count_; ++i) {
    if (locks_[i] == lock) return true;
  }
  return false;
}

bool Rules::is_lock_taken(const Thread& by_another_than) const {
  bool taken = held_by_ != kNoThread && held_by_ != by_another_than.id;
  for_each_lock([&](const sched::SyncObject& lock) {
    taken = taken || (lock.count != 0 && lock.owner != by_another_than.id);
  });
  return taken;
}

// All rules of its place: several things may have to be there. What was done before it was created was done for others,
// as in a loop that starts threads.
bool Rules::may_not_begin(const Thread& t) const {
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const bool is_its =
        rules_[i].kind == RuleKind::kStartAfter && rules_[i].place == rules_[t.start_rule - 1].place;
    if (is_its && performed_at_[i] <= t.start_mark) return true;
  }
  return false;
}

bool Rules::must_wait(const Thread& t) const {
  if (t.start_rule != 0 && may_not_begin(t)) return true;
  if (t.pending.kind == EventKind::kMutexLock) {
    // A step that began where a lock is to be held has it until it ends, though it may have to wait for others.
    if (held_by_ != kNoThread && held_by_ != t.id && is_to_be_held(t.pending.address)) return true;
    for (std::uint32_t i = 0; i < handed_over_count_; ++i) {
      if (handed_over_[i].mutex == t.pending.address && handed_over_[i].thread != t.id) return true;
    }
  }
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    const EnforcedRule& rule = rules_[i];
    const bool can_wait =
        rule.kind == RuleKind::kAfter || rule.kind == RuleKind::kHoldLock || rule.kind == RuleKind::kAfterEnd;
    if (!can_wait || !is_at(rule.place, t, t.pending.pc)) continue;
    if (rule.kind == RuleKind::kAfter && !is_met(i)) return true;
    if (rule.kind == RuleKind::kHoldLock && is_lock_taken(t)) return true;
    if (rule.kind != RuleKind::kAfterEnd) continue;
    for (std::uint32_t k = 0; k < scheduler_.thread_count(); ++k) {
      const Thread& other = scheduler_.thread(ThreadId{static_cast<std::uint16_t>(k)});
      if (other.end_rule == i + 1 && other.id != t.id && other.state != ThreadState::kFinished) return true;
    }
  }
  return false;
}

void Rules::note_created(const Thread& creator, Thread& made, std::uint64_t pc, std::uint64_t site) const {
  made.end_rule = made.start_rule = 0;
  made.start_mark = performed_;
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    if (rules_[i].kind == RuleKind::kAfterEnd && is_called_at(rules_[i].other, creator, pc, site))
      made.end_rule = static_cast<std::uint8_t>(i + 1);
    if (rules_[i].kind == RuleKind::kStartAfter && is_called_at(rules_[i].place, creator, pc, site))
      made.start_rule = static_cast<std::uint8_t>(i + 1);
  }
}

void Rules::note_end(const Thread& t) {
  if (t.end_rule != 0) edges_.release(clock_);
}

void Rules::note_start(Thread& t) const {
  if (t.start_rule == 0) return;
  edges_.acquire(clock_, t.id);
  t.start_rule = 0;
}

sched::SyncObject* Rules::given_back_at(const Thread& t, std::uint64_t pc, std::uint64_t site,
                                        Address own) const {
  sched::SyncObject* given = nullptr;
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind != RuleKind::kGiveBack || !is_called_at(rule.place, t, pc, site)) continue;
    for_each_lock([&](sched::SyncObject& lock) {
      if (lock.count == 1 && lock.owner == t.id && lock.address != own) given = &lock;
    });
  }
  return given;
}

bool Rules::wakes_all(const Thread& t, std::uint64_t pc) const {
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind == RuleKind::kWakeAll && is_at(rule.place, t, pc)) return true;
  }
  return false;
}

bool Rules::hands_over(const Thread& t, std::uint64_t pc) const {
  for (const EnforcedRule& rule : rules_) {
    if (is_hand_over(rule.kind) && is_at(rule.place, t, pc)) return true;
  }
  return false;
}

bool Rules::wakes_one(const Thread& waiter) const {
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind == RuleKind::kHandOverOne && is_at(rule.place, waiter, waiter.last_pc)) return true;
  }
  return false;
}

void Rules::expect_hand_over(const Thread& waiter, Address mutex) {
  if (!hands_over(waiter, waiter.last_pc) || handed_over_count_ == kMostHandedOver) return;
  handed_over_[handed_over_count_++] = {waiter.id, mutex};
}

void Rules::handed_over(const Thread& waiter) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < handed_over_count_; ++i) {
    if (handed_over_[i].thread != waiter.id) handed_over_[kept++] = handed_over_[i];
  }
  handed_over_count_ = kept;
}

bool Rules::keeps(const Thread& t, std::uint64_t pc) const {
  for (const EnforcedRule& rule : rules_) {
    if (rule.kind == RuleKind::kKeep && is_at(rule.place, t, pc)) return true;
  }
  return false;
}

void Rules::begin_plain_access(const Thread& t, std::uint64_t pc, bool writes) {
  for (const EnforcedRule& rule : rules_) {
    // What is to come later comes after what it waits for, for the race detector, too.
    if (rule.kind == RuleKind::kAfter || rule.kind == RuleKind::kStartAfter) {
      if (rule.kind == RuleKind::kAfter && is_at(rule.place, t, pc)) edges_.acquire(clock_, t.id);
      if (is_at(rule.other, t, pc)) plain_ = PlainRule::kReleases;
      continue;
    }
    const bool is_of_it = (rule.kind == RuleKind::kLocked || rule.kind == RuleKind::kAtomic) &&
                          (is_at(rule.place, t, pc) || is_at(rule.other, t, pc));
    if (!is_of_it) continue;
    if (rule.kind == RuleKind::kLocked) {
      edges_.acquire(clock_, t.id);
      plain_ = PlainRule::kReleases;
      return;
    }
    if (!writes && is_acquire(rule.order)) edges_.acquire(clock_, t.id);
    plain_ = writes && is_release(rule.order) ? PlainRule::kAtomicReleases : PlainRule::kAtomic;
    return;
  }
}

}  // namespace heddle::engine
