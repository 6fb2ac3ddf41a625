#include "runtime/engine/fairness.h"

namespace heddle::engine {

using sched::Thread;
using sched::ThreadState;

namespace {

constexpr std::uint64_t kBetweenBreathers = 40'000;  // visible operations
constexpr std::uint64_t kBreather = 1'000;

std::uint64_t next_breather(std::uint64_t steps) {
  return (steps / kBetweenBreathers + 1) * kBetweenBreathers;
}

bool only_looks(EventKind kind) {
  switch (kind) {
    case EventKind::kAtomicLoad:
    case EventKind::kAtomicUpdate:
    case EventKind::kVolatileRead:
    case EventKind::kMutexLock:
    case EventKind::kRwlockReadLock:
    case EventKind::kRwlockWriteLock:
    case EventKind::kSemaphoreWait:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Fairness::start(const Limits& limits) {
  limits_ = limits;
  stagnation_ = limits.stagnation_steps;
  next_check_ = stagnation_;
  turns_of_sleepers_ = 0;
}

Fairness::Verdict Fairness::check(std::uint64_t steps, std::uint64_t runnable) {
  if (!fair_) {
    if (is_stagnating(steps) || steps >= limits_.max_steps) {
      begin_spin(steps, runnable);
      return Verdict::kSpins;
    }
    if (steps >= kBetweenBreathers && steps % kBetweenBreathers == 0) {
      breather_ = fair_ = true;
      fair_until_ = next_check_ = steps + kBreather;
    } else {
      plan_next_check(steps);
    }
    return Verdict::kGoOn;
  }
  if (steps < fair_until_) return Verdict::kGoOn;
  if (breather_) {
    breather_ = fair_ = false;
    next_check_ = steps + 1;
    return Verdict::kGoOn;
  }
  if (steps >= limits_.max_steps) return Verdict::kCut;
  leave(steps);
  return Verdict::kGoOn;
}

void Fairness::begin_spin(std::uint64_t steps, std::uint64_t runnable) {
  // Long enough to be sure; and longer each time, for loops of many operations.
  constexpr std::uint64_t kOfEach = 65'536, kOfAll = 131'072;
  fair_ = true;
  fair_until_ = steps + kOfAll + kOfEach * runnable + 4 * stagnation_;
  next_check_ = fair_until_;
  spin_change_ = last_change_;
  watch_.begin();
}

void Fairness::plan_next_check(std::uint64_t steps) {
  next_check_ = last_change_ + stagnation_;
  if (next_check_ > next_breather(steps)) next_check_ = next_breather(steps);
  if (next_check_ > limits_.max_steps) next_check_ = limits_.max_steps;
  if (next_check_ <= steps) next_check_ = steps + 1;
}

void Fairness::leave(std::uint64_t steps) {
  fair_ = false;
  stagnation_ *= 2;
  last_change_ = steps;
  next_check_ = steps + stagnation_;
  if (next_check_ > limits_.max_steps && steps < limits_.max_steps) next_check_ = limits_.max_steps;
}

bool Fairness::wants_look(Thread& t, std::uint64_t steps) {
  if (breather_) return false;
  if (last_change_ != spin_change_) {
    if (steps < limits_.max_steps) {
      leave(steps);
    } else {
      spin_change_ = last_change_;  // past the bound: fair mode stays, and the look starts over
      watch_.begin();
    }
    return false;
  }
  if (only_looks(t.pending.kind)) t.spin = t.pending;
  return watch_.is_due(t);
}

Fairness::Verdict Fairness::look(Thread& t, const PrivateState& state, std::uint64_t steps) {
  watch_.look(t, state);
  if (watch_.makes_progress()) {
    if (steps >= limits_.max_steps) return Verdict::kCut;
    leave(steps);
    return Verdict::kGoOn;
  }
  return t.spin_record.looks % 64 == 0 ? Verdict::kCaught : Verdict::kGoOn;
}

bool Fairness::is_livelock(std::span<const Thread> threads) const {
  for (const Thread& t : threads) {
    const bool takes_part =
        t.state == ThreadState::kRunnable || (t.state == ThreadState::kBlocked && watch_.has_acted(t));
    if (takes_part && !watch_.is_caught(t)) return false;
  }
  return true;
}

std::uint64_t Fairness::pass_time_of_spin(std::span<const Thread> threads, std::uint64_t ring,
                                          std::uint64_t now, std::uint64_t steps) {
  std::uint64_t next = ring;
  for (const Thread& t : threads) {
    if (t.state == ThreadState::kBlocked && t.deadline < next && !watch_.has_acted(t)) next = t.deadline;
  }
  if (next == sched::kNoDeadline) {
    constexpr std::uint64_t kSecond = 1'000'000'000, kFactor = 1024;
    constexpr std::uint64_t kDecades = kSecond << 30;
    if (clock_read_change_ != last_change_) return next;  // nobody asked since
    spin_jump_ = jump_change_ == last_change_ ? spin_jump_ * kFactor : kSecond;
    if (spin_jump_ > kDecades) return next;
    next = now + spin_jump_;
  }
  leave(steps);
  stagnation_ = limits_.stagnation_steps;
  jump_change_ = last_change_;
  return next;
}

std::uint64_t Fairness::clock_moves() {
  constexpr std::uint64_t kFirst = 100;
  constexpr std::uint32_t kReadsPerDoubling = 64, kMostDoublings = 17;
  if (clock_read_change_ != last_change_) clock_reads_ = 0;
  clock_read_change_ = last_change_;
  const std::uint32_t doublings = clock_reads_ / kReadsPerDoubling;
  ++clock_reads_;
  return kFirst << (doublings < kMostDoublings ? doublings : kMostDoublings);
}

bool Fairness::sleepers_are_due() {
  constexpr std::uint32_t kMost = 5000;
  if (++turns_of_sleepers_ < kMost) return false;
  turns_of_sleepers_ = 0;
  return true;
}

}  // namespace heddle::engine
