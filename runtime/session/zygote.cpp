#include "runtime/session/zygote.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/pages.h"
#include "runtime/session/held_execution.h"
#include "runtime/session/orphans.h"
#include "runtime/session/session_state.h"
#include "runtime/session/watchdog.h"

namespace heddle::session {
namespace {

// Processes in a row that could run no second execution before each execution gets one of its own from the
// start.
constexpr std::uint32_t kShortBatches = 4;
constexpr std::uint32_t kMostGhosts = 512;

[[noreturn]] void leave() {
  raw_syscall(SYS_exit_group, 0);
  __builtin_trap();  // the system denies even that
}

void die_with_parent(long parent) {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The parent may have died before the kernel knew of our wish.
  if (raw_syscall(SYS_getppid) != parent) leave();
}

// Where executions take turns: waits for one. Processes that died with theirs do not keep it.
bool take_turn(State& s, std::uint32_t own) {
  SharedOutside& outside = s.campaign->outside;
  if (!outside.takes_turns()) return false;
  while (!outside.try_take(own)) {
    if (s.campaign->stop.load(std::memory_order_relaxed) != 0) return false;
    const std::uint32_t owner = outside.owner.load(std::memory_order_relaxed);
    if (owner != 0 && raw_syscall(SYS_kill, owner, 0) == -ESRCH) outside.give_back(owner);
    timespec pause{0, 50'000};
    raw_syscall(SYS_nanosleep, &pause, 0);
  }
  return true;
}

// Does the process wait for others, or for the tool, and may take as long as they do?
bool may_wait(Phase phase) {
  return phase == Phase::kTaking || phase == Phase::kTaken || phase == Phase::kPreparing ||
         phase == Phase::kPublishing;
}

bool has_ended(long pid) {
  siginfo_t info{};
  const long error = raw_syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT, 0);
  return error == -ECHILD || (error == 0 && info.si_pid == pid);
}

// Somebody has stopped it: it can neither go on nor say so.
bool is_stopped(long pid) {
  siginfo_t info{};
  return raw_syscall(SYS_waitid, P_PID, pid, &info, WSTOPPED | WNOHANG | WNOWAIT, 0) == 0 &&
         info.si_pid == pid;
}

// When did what the child does begin that has a limit? 0: it has none.
class Stopwatch {
 public:
  explicit Stopwatch(const ChannelHeader& header) : header_(header) {}
  std::uint64_t began() {
    if (const std::uint64_t began = header_.execution_began.load(std::memory_order_acquire); began != 0)
      return began;
    // Between two executions: as long as they go on, it does not hang.
    const std::uint64_t executions = header_.repetition.executions;
    if (may_wait(header_.phase.load(std::memory_order_acquire)) || executions != executions_) since_ = 0;
    executions_ = executions;
    if (since_ == 0) since_ = wall_nanoseconds();
    return since_;
  }

 private:
  const ChannelHeader& header_;
  std::uint64_t executions_ = ~0ull;
  std::uint64_t since_ = 0;
};

// Waits for the child to end; kills it when the execution under way has used up its time. True: it was
// killed.
bool await_child(const Channel& channel, long pid, int& status) {
  const std::uint64_t limit = channel.header()->spec.timeout_ns;
  Stopwatch watch(*channel.header());
  bool killed = false;
  const long descriptor = raw_syscall(SYS_pidfd_open, pid, 0);
  while (!has_ended(pid)) {
    const std::uint64_t began = watch.began();
    const std::uint64_t until = began + limit;
    const std::uint64_t now = wall_nanoseconds();
    if (limit != 0 && until <= now) {
      ask_where(channel, pid);
      if (watch.began() != began) continue;  // it has come to its end meanwhile
      raw_syscall(SYS_kill, pid, SIGKILL);
      killed = true;
      break;
    }
    // Without pidfd (Linux 5.3, or no descriptor left) it is looked at every so often.
    constexpr std::uint64_t kLook = 1'000'000;
    pollfd poll{static_cast<int>(descriptor), POLLIN, 0};
    const std::uint64_t left = descriptor < 0 ? kLook : until - now;
    timespec timeout{static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
    const bool for_ever = limit == 0 && descriptor >= 0;
    const long ready =
        raw_syscall(SYS_ppoll, &poll, descriptor >= 0 ? 1 : 0, for_ever ? nullptr : &timeout, 0, 8);
    // While an execution is under way its limit holds.
    if (ready == 0 && is_stopped(pid) && channel.header()->execution_began.load() == 0)
      raw_syscall(SYS_kill, pid, SIGKILL);
  }
  if (descriptor >= 0) raw_syscall(SYS_close, descriptor);
  while (raw_syscall(SYS_wait4, pid, &status, 0, 0) == -EINTR) {
  }
  // Whatever the program had started itself ends with its execution.
  raw_syscall(SYS_kill, -pid, SIGKILL);
  end_orphans();
  return killed;
}

// Makes ghosts for as many threads as executions so far have needed, so that children find them ready. True:
// it had to.
bool prepare_ghosts(State& s) {
  engine::RuntimeScope scope;
  const std::uint32_t most = s.channel.header()->most_threads;
  if (most > s.threads_wanted) s.threads_wanted = most < kMostGhosts ? most : kMostGhosts;
  return s.execution->scheduler().prepare_ghosts(s.threads_wanted);
}

// Can a child run more than one execution?
bool prepare_batches(State& s) {
  RepetitionReport& report = s.channel.header()->repetition;
  const RepetitionKind wanted = s.channel.header()->spec.repetition;
  const bool fresh = prepare_ghosts(s);
  if (wanted == RepetitionKind::kFork || s.short_batches >= kShortBatches) {
    if (s.has_snapshot) s.snapshot.discard();
    s.has_snapshot = false;
    report.kind = RepetitionKind::kFork;
    return false;
  }
  if (!s.has_snapshot || fresh) {
    SpareMemory spare;
    s.execution->find_spare_memory(spare);
    s.has_snapshot = s.snapshot.take({spare.ranges, spare.count});
    if (!s.has_snapshot) {
      s.short_batches = kShortBatches;
      report.kind = RepetitionKind::kFork;
      report.set_why(s.snapshot.why());
    }
  }
  return s.has_snapshot;
}

// In a child: executions, one after the other, until none is left or this process is not fit for another.
[[noreturn]] void run_executions(State& s, std::uint64_t index, bool many) {
  ChannelHeader& h = *s.channel.header();
  const bool has_dispatch = s.gate.close();
  watch_spins();
  if (many) {
    s.snapshot.begin(h.spec.repetition != RepetitionKind::kCopy);
    h.repetition.kind = s.snapshot.tracking() ? RepetitionKind::kTrack : RepetitionKind::kCopy;
    many = has_dispatch;
    if (!many) h.repetition.set_why("the kernel has no Syscall User Dispatch (Linux 5.11)");
  }
  do {
    start_execution(s, index);
    s.checks.ended = 0;
    s.execution->begin(s.strategy->stands_for(index));
    sched::switch_fiber(s.service, s.program);
    finish_execution(s);
    if (!many || s.crashed || s.campaign->outside.takes_turns()) break;
    if (s.gate.was_opened()) {
      h.repetition.system_call = static_cast<std::int32_t>(s.gate.reason());
      break;
    }
    if (!s.snapshot.restore()) break;
    if (s.gate.was_called()) raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s.signal_mask, 0, 8);
  } while (take_execution(s, index));
  leave();
}

[[noreturn]] void serve(void* argument) {
  State& s = *static_cast<State*>(argument);
  ChannelHeader& h = *s.channel.header();
  const long own_pid = raw_syscall(SYS_getpid);
  raw_syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  std::uint64_t index = 0;
  while (take_execution(s, index)) {
    const bool has_turn = take_turn(s, static_cast<std::uint32_t>(own_pid));
    const bool many = prepare_batches(s) && !has_turn;
    h.repetition.executions_of_process = 0;
    h.execution_began.store(0, std::memory_order_relaxed);
    const long pid = raw_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      die_with_parent(own_pid);
      raw_syscall(SYS_setpgid, 0, 0);
      run_executions(s, index, many);
    }
    if (pid < 0) {
      start_execution(s, index);
      // Of this process the system is short, or it denies the call; the tool tells which by the error.
      h.current.ending = Ending::kUnsupported;
      h.current.flags |= result_flags::kLimit;
      h.current.status = static_cast<std::int32_t>(-pid);
      finish_execution(s);
      break;
    }
    ++h.repetition.processes;
    h.execution_pid.store(static_cast<std::uint32_t>(pid), std::memory_order_relaxed);
    int status = 0;
    const bool killed = await_child(s.channel, pid, status);
    h.execution_pid.store(0, std::memory_order_relaxed);
    settle_after_death(s, status, killed);
    if (has_turn) s.campaign->outside.give_back(static_cast<std::uint32_t>(own_pid));
    s.short_batches = h.repetition.executions_of_process > 1 ? 0 : s.short_batches + 1;
  }
  h.state.store(WorkerState::kFinished, std::memory_order_release);
  leave();
}

}  // namespace

void become_zygote() {
  State& s = *state();
  forbid_huge_pages();
  set_syscall_gate(&s.gate);
  // What every child would have to look up.
  wall_nanoseconds();
  s.spins.prepare();
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, 0, &s.signal_mask, 8);
  HEDDLE_CHECK(map_pages_at(kServiceStack, kServiceStackBytes) != nullptr);
  s.program.fs_base = sched::current_fs_base();
  sched::prepare_fiber(s.service, reinterpret_cast<void*>(kServiceStack + kServiceStackBytes),
                       s.program.fs_base, serve, &s);
  s.serving = true;
  sched::switch_fiber(s.program, s.service);
}

void end_execution(Ending ending, int status) {
  State& s = *state();
  ExecutionResult& current = s.channel.header()->current;
  current.ending = ending;
  current.status = status;
  keep_what_checks_said(current);
  if (s.serving) sched::switch_fiber(s.ended, s.service);
  leave();
}

void note_crash() {
  if (State* s = state()) s->crashed = true;
}

}  // namespace heddle::session
