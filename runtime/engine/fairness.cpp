// Spins. A thread that spins performs visible operations and changes nothing. When nothing has changed for a
// while, the execution goes on in fair mode: threads take turns, loads read the newest store. If something
// changes then, the spin was only unlucky and the strategy takes over again. If nothing does, and every
// thread that runs keeps returning to private states that it has been in before, no continuation can ever
// change anything: a livelock. A loop that counts (a bounded poll, a benchmark) has a new private state each
// time and is never called one.
#include <sys/uio.h>

#include <cerrno>

#include "core/base/raw_syscall.h"
#include "core/base/text_buffer.h"
#include "runtime/engine/finding_builder.h"
#include "runtime/engine/spin_state.h"

namespace heddle::engine {

using sched::Thread;

namespace {

// To know a private state takes the unwinder, microseconds: one visible operation in so many is looked at.
// States that come back also come back among those.
constexpr std::uint64_t kLookEvery = 8;
constexpr std::uint64_t kVisitsPerThread = 4096;  // looks
constexpr std::uint64_t kAllNew = 1024;           // so many looks without a state seen twice: no spin
constexpr std::uint64_t kStates = 1u << 14;

// States seen since fair mode began; open addressing, 0 is empty. Outside the Execution to keep that small.
std::uint64_t seen[kStates];

// What the running thread has written by plain accesses since its latest visit: private state, too, if it
// lies in memory. Where there is more than fits, the count alone tells one visit from the next.
constexpr std::uint32_t kWrites = 64;
constexpr std::uint64_t kMostBytes = 64;  // of one write that are looked at
struct PlainWrite {
  Address address;
  std::uint64_t bytes;
};
PlainWrite writes[kWrites];
std::uint64_t write_count = 0;

std::uint64_t take_writes() {
  std::uint64_t hash = 0;
  for (std::uint32_t i = 0; i < write_count && i < kWrites; ++i) {
    unsigned char bytes[kMostBytes] = {};
    // By the kernel: the program may have unmapped it since.
    const iovec to{bytes, writes[i].bytes};
    const iovec from{reinterpret_cast<void*>(writes[i].address), writes[i].bytes};
    if (raw_syscall(SYS_process_vm_readv, raw_syscall(SYS_getpid), &to, 1, &from, 1, 0) == -EPERM)
      memcpy(bytes, from.iov_base, from.iov_len);  // a sandbox that forbids the call
    for (std::uint64_t k = 0; k < writes[i].bytes; ++k) hash = mix(hash, bytes[k]);
  }
  static std::uint64_t overflows = 0;
  if (write_count > kWrites) hash = mix(hash, ++overflows);
  write_count = 0;
  return hash;
}

bool insert(std::uint64_t state) {
  if (state == 0) state = 1;
  for (std::uint64_t i = state % kStates, tries = 0; tries < 64; i = (i + 1) % kStates, ++tries) {
    if (seen[i] == state) return false;
    if (seen[i] == 0) {
      seen[i] = state;
      return true;
    }
  }
  return true;
}

constexpr std::uint64_t kBetweenBreathers = 40'000;  // visible operations
constexpr std::uint64_t kBreather = 1'000;
bool breather = false;

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

void Execution::check_bounds() {
  ExecutionResult& result = channel_.header()->current;
  const std::uint64_t steps = result.steps;
  const std::uint64_t bound = spec().max_steps;
  if (runs_on_) finish(Ending::kFinding, 0);
  if (fair_) {
    if (steps >= fair_until_) {
      if (breather) return end_breather(steps);
      if (steps >= bound) finish(Ending::kCut, 0);
      leave_fair_mode();
    }
    return;
  }
  if (steps < bound && steps - last_change_ >= stagnation_) spin_waits_for_outside();
  const bool stagnating = steps - last_change_ >= stagnation_;
  if (stagnating || steps >= bound) {
    fair_ = true;
    note_pace();
    result.flags |= result_flags::kFairMode;
    fair_until_ =
        steps + kLookEvery * (4 * kVisitsPerThread + 2 * kVisitsPerThread * scheduler_.runnable().size());
    next_check_ = fair_until_;
    spin_visits_ = 0;
    spin_states_ = 0;
    spin_change_ = last_change_;
    write_count = 0;
    memset(seen, 0, sizeof seen);
    return;
  }
  if (steps >= kBetweenBreathers && steps % kBetweenBreathers == 0) return take_breather(steps);
  next_check_ = last_change_ + stagnation_;
  if (next_check_ > next_breather(steps)) next_check_ = next_breather(steps);
  if (next_check_ > bound) next_check_ = bound;
  if (next_check_ <= steps) next_check_ = steps + 1;
}

// The thread is not to run for this time, while others can: a thousand operations of theirs.
void Execution::make_room() {
  constexpr std::uint64_t kTurn = 10'000;
  scheduler_.block(sched::WaitKind::kPause, 0, scheduler_.now() + kTurn);
  run_others();
}

// A loop that changes something at each turn (a counter of its turns) is no spin as above, and can go on for
// ever all the same: a strategy with priorities need not choose another thread, and one that prefers old
// stores need not see the one that the loop waits for. Threads make progress, and stores become visible, in
// finite time
// ([intro.progress]): a long execution is fair for a moment now and then.
void Execution::take_breather(std::uint64_t steps) {
  breather = true;
  fair_ = true;
  note_pace();
  fair_until_ = steps + kBreather;
  next_check_ = fair_until_;
}

void Execution::end_breather(std::uint64_t steps) {
  breather = false;
  fair_ = false;
  note_pace();
  next_check_ = steps + 1;
}

void Execution::stand_back(std::uint64_t pc) {
  if (scheduler_.unfinished_count() < 2) return;
  self().pending = {EventKind::kYield, MemoryOrder::kRelaxed, 0, 0, pc};
  ++channel_.header()->current.steps;
  make_room();
  done(EventKind::kYield, 0);
  record(EventKind::kYield, pc);
}

void Execution::leave_fair_mode() {
  fair_ = false;
  note_pace();
  const std::uint64_t steps = channel_.header()->current.steps;
  // Each fruitless look waits longer for the next: a long quiet computation costs little.
  stagnation_ *= 2;
  last_change_ = steps;
  next_check_ = steps + stagnation_;
  if (next_check_ > spec().max_steps && steps < spec().max_steps) next_check_ = spec().max_steps;
}

void Execution::note_plain_write(Address address, std::uint64_t bytes) {
  if (write_count < kWrites) writes[write_count] = {address, bytes < kMostBytes ? bytes : kMostBytes};
  ++write_count;
}

void Execution::observe_spin() {
  if (breather || runs_on_) return;
  if (last_change_ != spin_change_) {
    if (channel_.header()->current.steps < spec().max_steps) return leave_fair_mode();
    spin_change_ = last_change_;  // past the bound: fair mode stays, and the look starts over
    spin_visits_ = 0;
    spin_states_ = 0;
    memset(seen, 0, sizeof seen);
    return;
  }
  Thread& t = self();
  if (only_looks(t.pending.kind)) t.spin = t.pending;
  // Of each thread every so many operations, whoever runs between.
  if (t.spin_operations++ % kLookEvery != 0) return;
  ++spin_visits_;
  std::uint64_t state = 0;
  {
    RuntimeScope scope;  // the unwinder takes a mutex
    state = private_state();
  }
  if (insert(mix(mix(state, take_writes()), index_of(scheduler_.current())))) ++spin_states_;
  if (spin_states_ > kStates / 2 || (spin_states_ >= kAllNew && spin_states_ == spin_visits_)) {
    // Ever new private states: somebody is computing.
    if (channel_.header()->current.steps >= spec().max_steps) finish(Ending::kCut, 0);
    return leave_fair_mode();
  }
  if (spin_visits_ >= kVisitsPerThread * (1 + scheduler_.runnable().size()) &&
      spin_states_ <= spin_visits_ / 4) {
    if (!pass_time_of_spin()) report_livelock();
  }
}

// Only time can end this spin: a timed wait of another thread, or a timer.
bool Execution::pass_time_of_spin() {
  const std::uint64_t deadline = scheduler_.next_deadline();
  const std::uint64_t ring = timers_.earliest();
  const std::uint64_t next = deadline < ring ? deadline : ring;
  if (next == sched::kNoDeadline) return false;
  leave_fair_mode();
  stagnation_ = spec().stagnation_steps;
  scheduler_.advance_to(next);
  fire_timers();
  changed();
  return true;
}

void Execution::report_livelock() {
  {
    TextBuffer<160> text;
    text.decimal(static_cast<std::int64_t>(scheduler_.runnable().size()))
        << (scheduler_.runnable().size() == 1 ? " thread repeats" : " threads repeat")
        << " the same operations for ever and no memory changes";
    FindingBuilder finding(*this, FindingKind::kLivelock, text.c_str());
    for (const ThreadId id : scheduler_.runnable()) {
      const Thread& t = scheduler_.thread(id);
      // The load that the loop turns around, rather than the pause or the yield beside it.
      const sched::PendingOperation& at = t.spin.pc != 0 ? t.spin : t.pending;
      finding.part(PartRole::kHere, t, at.pc).address = at.address;
    }
    finding.cite_other_threads();
    finding.cite_creations();
  }
  finish(Ending::kFinding, 0);
}

}  // namespace heddle::engine
