#include "runtime/session/zygote.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/pages.h"
#include "runtime/sched/real_threads.h"
#include "runtime/session/orphans.h"
#include "runtime/session/prefix_files.h"
#include "runtime/session/session_state.h"
#include "runtime/session/watchdog.h"

namespace heddle::session {
namespace {

// Processes in a row that could run no second execution before each execution gets one of its own from the
// start.
constexpr std::uint32_t kShortBatches = 4;
constexpr std::uint32_t kMostGhosts = 512;

std::uint64_t wall_nanoseconds() {
  timespec t{};
  sched::real_clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

[[noreturn]] void leave() {
  for (;;) raw_syscall(SYS_exit_group, 0);
}

void die_with_parent(long parent) {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The parent may have died before the kernel knew of our wish.
  if (raw_syscall(SYS_getppid) != parent) leave();
}

// Until the tool has taken results up to this number from the ring, or wants no more.
void wait_until_read(const State& s, std::uint64_t number) {
  const ChannelHeader& h = *s.channel.header();
  while (h.ring_read.load(std::memory_order_acquire) < number) {
    if (h.stop.load(std::memory_order_relaxed) != 0) return;
    if (s.campaign != nullptr && s.campaign->stop.load(std::memory_order_relaxed) != 0) return;
    timespec pause{0, 200'000};
    raw_syscall(SYS_nanosleep, &pause, 0);
  }
}

void tell_tool(State& s) {
  s.campaign->signal.fetch_add(1, std::memory_order_release);
  raw_syscall(SYS_futex, &s.campaign->signal, FUTEX_WAKE, 1, 0, 0, 0);
}

// Publishes the current result in the ring and tells the tool.
void publish(State& s) {
  ChannelHeader& h = *s.channel.header();
  const std::uint64_t at = h.ring_written.load(std::memory_order_relaxed);
  if (at >= s.channel.ring_capacity()) wait_until_read(s, at + 1 - s.channel.ring_capacity());
  const bool urgent = h.current.findings != 0 || h.current.ending != Ending::kExited || h.current.status != 0;
  // What its index does not repeat has to be repeated by its choices: they wait for the tool.
  const bool tried =
      s.campaign != nullptr && s.campaign->learning().clients().in_use.load(std::memory_order_relaxed) != 0;
  const bool hold = urgent && (tried || !s.strategy->repeatable_by_index());
  if (hold) h.current.flags |= result_flags::kChoicesHeld;
  s.channel.ring()[at % s.channel.ring_capacity()] = h.current;
  h.ring_written.store(at + 1, std::memory_order_release);
  const bool awaited = s.strategy->each_is_awaited() ||
                       (tried && s.campaign->learning().clients().is_awaited(h.current.index));
  if (s.campaign != nullptr && (urgent || at % 256 == 0 || awaited)) tell_tool(s);
  if (hold) wait_until_read(s, at + 1);
}

// Until all executions are over that this one needs. False: there will be none.
bool await_others(State& s, std::uint64_t index) {
  const auto may_begin = [&] {
    if (!s.campaign->learning().clients().may_run(index)) return false;
    const std::uint64_t completed = s.campaign->learning().completed();
    // The first execution tells whether they have to take turns.
    if (completed == 0 && index != 0) return false;
    // What it needs may become known on the way.
    return completed >= s.strategy->needs(index);
  };
  ClientExchange& clients = s.campaign->learning().clients();
  for (std::uint32_t looks = 0;; ++looks) {
    const std::uint32_t seen = clients.changed.load(std::memory_order_acquire);
    if (may_begin()) break;
    if (s.campaign->stop.load(std::memory_order_relaxed) != 0) return false;
    if (s.campaign->none_left.load(std::memory_order_relaxed) != 0) return false;
    if (!clients.may_run(index)) {
      timespec timeout{0, 100'000'000};
      raw_syscall(SYS_futex, &clients.changed, FUTEX_WAIT, seen, &timeout, 0, 0);
      continue;
    }
    timespec pause{0, 20'000};
    looks < 10 ? raw_syscall(SYS_sched_yield) : raw_syscall(SYS_nanosleep, &pause, 0);
  }
  return true;
}

bool take_index(State& s, std::uint64_t& index) {
  if (s.campaign->stop.load(std::memory_order_relaxed) != 0) return false;
  if (s.campaign->none_left.load(std::memory_order_relaxed) != 0) return false;
  // The limit moves (finish_execution): an index beyond it is not taken, since it may be within it later.
  index = s.campaign->next_index.load(std::memory_order_relaxed);
  do {
    if (index >= s.campaign->limit.load(std::memory_order_relaxed)) return false;
  } while (!s.campaign->next_index.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
  const bool has_clients = s.campaign->learning().clients().in_use.load(std::memory_order_relaxed) != 0;
  do {
    if (!await_others(s, index)) return false;
    if (s.strategy->prepare_next(index)) return true;
    // Where this client has no more executions another one may follow.
    if (has_clients) tell_tool(s);
  } while (has_clients);
  if (s.strategy->explored_all()) s.campaign->exhausted.store(1, std::memory_order_relaxed);
  s.campaign->none_left.store(1, std::memory_order_release);
  tell_tool(s);
  return false;
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

// Prepares the channel for one more execution, which is under way from here on.
void start_execution(State& s, std::uint64_t index) {
  ChannelHeader& h = *s.channel.header();
  h.current = s.prefix;
  h.current.index = index;
  h.choice_count.store(0, std::memory_order_relaxed);
  h.event_count.store(s.prefix_events, std::memory_order_relaxed);
  h.finding_count.store(s.prefix_findings, std::memory_order_relaxed);
  h.stack_place_count = s.prefix_stack_places;
  h.text_used.store(s.prefix_text, std::memory_order_relaxed);
  if (s.gate.was_called()) {
    if (h.output_fd >= 0) raw_syscall(SYS_lseek, h.output_fd, s.prefix_output, SEEK_SET);
    restore_offsets();
    s.gate.forget_calls();
  }
  h.execution_began.store(wall_nanoseconds(), std::memory_order_release);
}

// The execution under way is over, however it ended.
void finish_execution(State& s) {
  ChannelHeader& h = *s.channel.header();
  h.current.choices = h.choice_count.load(std::memory_order_relaxed);
  h.current.events = h.event_count.load(std::memory_order_relaxed);
  const std::uint64_t began = h.execution_began.load(std::memory_order_relaxed);
  h.current.duration_us = static_cast<std::uint32_t>((wall_nanoseconds() - began) / 1000);
  if (h.current.threads > h.most_threads) h.most_threads = h.current.threads;
  h.execution_began.store(0, std::memory_order_release);
  ++h.repetition.executions;
  ++h.repetition.executions_of_process;
  if (s.campaign != nullptr) {
    s.strategy->teach(h.current);
    s.campaign->learning().record(h.current);
    // One that was broken off is none of those that were asked for.
    if (h.current.ending == Ending::kRedundant && s.campaign->limit.load(std::memory_order_relaxed) != ~0ull)
      s.campaign->limit.fetch_add(1, std::memory_order_relaxed);
  }
  publish(s);
}

// What the kernel knows of how a process ended that could not say it itself.
void conclude_by_status(ExecutionResult& r, int wait_status, bool timed_out) {
  if (r.ending != Ending::kRunning) return;
  if (timed_out) {
    r.ending = Ending::kTimedOut;
  } else if (WIFEXITED(wait_status)) {
    r.status = WEXITSTATUS(wait_status);
    r.ending = r.status == kInternalErrorStatus ? Ending::kInternalError : Ending::kExited;
  } else {
    r.ending = Ending::kSignalled;
    r.status = WTERMSIG(wait_status);
  }
}

// Waits for the child to end; kills it when the execution under way has used up its time. True: it was
// killed.
bool await_child(const Channel& channel, long pid, int& status) {
  const ChannelHeader& h = *channel.header();
  const std::uint64_t limit = h.spec.timeout_ns;
  bool killed = false;
  const long descriptor = raw_syscall(SYS_pidfd_open, pid, 0);
  while (descriptor >= 0 && !killed) {
    const std::uint64_t began = h.execution_began.load(std::memory_order_acquire);
    const std::uint64_t now = wall_nanoseconds();
    const std::uint64_t until = (began == 0 ? now : began) + limit;
    if (limit != 0 && until <= now) {
      ask_where(channel, pid);
      raw_syscall(SYS_kill, pid, SIGKILL);
      killed = true;
      break;
    }
    pollfd poll{static_cast<int>(descriptor), POLLIN, 0};
    const std::uint64_t left = until - now;
    timespec timeout{static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
    if (raw_syscall(SYS_ppoll, &poll, 1, limit == 0 ? nullptr : &timeout, 0, 8) > 0) break;
  }
  if (descriptor >= 0) raw_syscall(SYS_close, descriptor);
  while (raw_syscall(SYS_wait4, pid, &status, 0, 0) == -4) {
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
  } while (take_index(s, index));
  leave();
}

[[noreturn]] void serve(void* argument) {
  State& s = *static_cast<State*>(argument);
  ChannelHeader& h = *s.channel.header();
  const long own_pid = raw_syscall(SYS_getpid);
  raw_syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  std::uint64_t index = 0;
  while (take_index(s, index)) {
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
      h.current.ending = Ending::kInternalError;
      h.current.status = static_cast<std::int32_t>(-pid);
      finish_execution(s);
      break;
    }
    ++h.repetition.processes;
    h.execution_pid.store(static_cast<std::uint32_t>(pid), std::memory_order_relaxed);
    int status = 0;
    const bool killed = await_child(s.channel, pid, status);
    h.execution_pid.store(0, std::memory_order_relaxed);
    if (h.execution_began.load(std::memory_order_acquire) != 0) {
      conclude_by_status(h.current, status, killed);
      finish_execution(s);
    } else if (h.repetition.executions_of_process == 0) {
      // It died before it had begun.
      start_execution(s, index);
      conclude_by_status(h.current, status, killed);
      finish_execution(s);
    }
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
