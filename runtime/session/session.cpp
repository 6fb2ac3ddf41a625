#include "runtime/session/session.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <new>

#include "core/base/pages.h"
#include "runtime/session/crash.h"
#include "runtime/session/modules.h"
#include "runtime/session/orphans.h"
#include "runtime/session/prefix_files.h"
#include "runtime/session/watchdog.h"
#include "runtime/strategy/registry.h"

namespace heddle::session {
namespace {

// The state of this process. Everything else hangs off the channel.
struct State {
  Channel channel;
  engine::Execution* execution = nullptr;
  CampaignState* campaign = nullptr;
  strategy::ReplayStrategy replay;
  std::uint32_t prefix_events = 0;
  std::uint32_t prefix_text = 1;
  std::uint32_t prefix_findings = 0;
  ExecutionResult prefix;            // what happened before the first choice, common to all executions
  long prefix_output = 0;            // bytes of output before the first choice
  std::uint32_t threads_wanted = 0;  // the most that any execution has created
};

State state;
alignas(64) unsigned char execution_storage[sizeof(engine::Execution)];

std::uint64_t wall_nanoseconds() {
  timespec t{};
  raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

int channel_descriptor(char** environment) {
  const std::size_t length = strlen(kChannelVariable);
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const char* entry = *environment;
    if (memcmp(entry, kChannelVariable, length) != 0 || entry[length] != '=') continue;
    int descriptor = 0;
    for (char** rest = environment; *rest != nullptr; ++rest)
      rest[0] = rest[1];  // not for the program's children
    for (const char* digit = entry + length + 1; *digit >= '0' && *digit <= '9'; ++digit) {
      descriptor = descriptor * 10 + (*digit - '0');
    }
    return descriptor;
  }
  return -1;
}

void* map_shared(int descriptor, std::uint64_t& bytes) {
  struct stat status{};
  if (raw_syscall(SYS_fstat, descriptor, &status) != 0) return nullptr;
  bytes = static_cast<std::uint64_t>(status.st_size);
  const long mapped = raw_syscall(SYS_mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return mapped < 0 && mapped > -4096 ? nullptr : reinterpret_cast<void*>(mapped);
}

void die_with_parent(long parent) {
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  // The parent may have died before the kernel knew of our wish.
  if (raw_syscall(SYS_getppid) != parent) raw_syscall(SYS_exit_group, 0);
}

// Publishes the current result in the ring and tells the tool.
void publish() {
  ChannelHeader& h = *state.channel.header();
  const std::uint64_t at = h.ring_written.load(std::memory_order_relaxed);
  while (at - h.ring_read.load(std::memory_order_acquire) >= state.channel.ring_capacity()) {
    if (h.stop.load(std::memory_order_relaxed) != 0) return;
    timespec pause{0, 200'000};
    raw_syscall(SYS_nanosleep, &pause, 0);
  }
  state.channel.ring()[at % state.channel.ring_capacity()] = h.current;
  h.ring_written.store(at + 1, std::memory_order_release);
  const bool urgent = h.current.findings != 0 || h.current.ending != Ending::kExited || h.current.status != 0;
  if (state.campaign != nullptr && (urgent || at % 256 == 0)) {
    state.campaign->signal.fetch_add(1, std::memory_order_release);
    raw_syscall(SYS_futex, &state.campaign->signal, FUTEX_WAKE, 1, 0, 0, 0);
  }
}

[[noreturn]] void end_execution(Ending ending, int status) {
  ExecutionResult& current = state.channel.header()->current;
  current.ending = ending;
  current.status = status;
  for (;;) raw_syscall(SYS_exit_group, 0);
}

// Prepares the channel for one more execution.
void reset_channel(std::uint64_t index) {
  ChannelHeader& h = *state.channel.header();
  h.current = state.prefix;
  h.current.index = index;
  h.choice_count.store(0, std::memory_order_relaxed);
  h.event_count.store(state.prefix_events, std::memory_order_relaxed);
  h.finding_count.store(state.prefix_findings, std::memory_order_relaxed);
  h.text_used.store(state.prefix_text, std::memory_order_relaxed);
  if (h.output_fd >= 0) raw_syscall(SYS_lseek, h.output_fd, state.prefix_output, SEEK_SET);
  restore_offsets();
}

// Waits for the child to end; kills it when its time is up. True: it had to be killed.
bool await_child(long pid, int& status) {
  const std::uint64_t limit = state.channel.header()->spec.timeout_ns;
  bool killed = false;
  const long descriptor = raw_syscall(SYS_pidfd_open, pid, 0);
  if (descriptor >= 0) {
    pollfd poll{static_cast<int>(descriptor), POLLIN, 0};
    timespec timeout{static_cast<time_t>(limit / 1'000'000'000), static_cast<long>(limit % 1'000'000'000)};
    const long ready = raw_syscall(SYS_ppoll, &poll, 1, limit == 0 ? nullptr : &timeout, 0, 8);
    if (ready == 0) {
      ask_where(state.channel, pid);
      raw_syscall(SYS_kill, pid, SIGKILL);
      killed = true;
    }
    raw_syscall(SYS_close, descriptor);
  }
  while (raw_syscall(SYS_wait4, pid, &status, 0, 0) == -4) {
  }
  // Whatever the program had started itself ends with its execution.
  raw_syscall(SYS_kill, -pid, SIGKILL);
  end_orphans();
  return killed;
}

// Completes the result by how the child ended.
void conclude(int wait_status, bool timed_out) {
  ExecutionResult& r = state.channel.header()->current;
  ChannelHeader& h = *state.channel.header();
  r.choices = h.choice_count.load(std::memory_order_relaxed);
  r.events = h.event_count.load(std::memory_order_relaxed);
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

bool take_index(std::uint64_t& index) {
  if (state.campaign->stop.load(std::memory_order_relaxed) != 0) return false;
  index = state.campaign->next_index.fetch_add(1, std::memory_order_relaxed);
  return index < state.campaign->limit.load(std::memory_order_relaxed);
}

// Makes ghosts for as many threads as executions so far have needed, so that children find them ready.
void prepare_ghosts() {
  engine::RuntimeScope scope;
  sched::Scheduler& scheduler = state.execution->scheduler();
  const std::uint32_t wanted = state.threads_wanted < 64 ? state.threads_wanted : 64;
  if (wanted > scheduler.thread_count()) scheduler.prepare_ghosts(wanted - scheduler.thread_count());
}

// Runs executions in children. Returns only in a child, at the first choice of its execution.
void serve() {
  ChannelHeader& h = *state.channel.header();
  const long own_pid = raw_syscall(SYS_getpid);
  std::uint64_t index = 0;
  while (take_index(index)) {
    reset_channel(index);
    prepare_ghosts();
    const std::uint64_t began = wall_nanoseconds();
    const long pid = raw_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
      die_with_parent(own_pid);
      raw_syscall(SYS_setpgid, 0, 0);
      state.execution->begin(index);
      return;
    }
    int status = 0;
    bool killed = false;
    if (pid > 0) {
      h.execution_pid.store(static_cast<std::uint32_t>(pid), std::memory_order_relaxed);
      killed = await_child(pid, status);
      h.execution_pid.store(0, std::memory_order_relaxed);
      conclude(status, killed);
    } else {
      h.current.ending = Ending::kInternalError;
      h.current.status = static_cast<std::int32_t>(-pid);
    }
    h.current.duration_us = static_cast<std::uint32_t>((wall_nanoseconds() - began) / 1000);
    if (h.current.threads > state.threads_wanted) state.threads_wanted = h.current.threads;
    publish();
    if (pid < 0) break;
  }
  h.state.store(WorkerState::kFinished, std::memory_order_release);
  for (;;) raw_syscall(SYS_exit_group, 0);
}

// Out of memory, the kernel should take an execution and not the tool.
void offer_to_the_oom_killer() {
  const long file = raw_syscall(SYS_openat, AT_FDCWD, "/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  raw_syscall(SYS_write, file, "1000", 4);
  raw_syscall(SYS_close, file);
}

void at_first_choice() {
  ChannelHeader& h = *state.channel.header();
  note_modules();
  if (h.mode == ChannelMode::kSingle) {
    state.execution->begin(h.single_index);
    return;
  }
  state.prefix = h.current;
  state.prefix_events = h.event_count.load(std::memory_order_relaxed);
  state.prefix_findings = h.finding_count.load(std::memory_order_relaxed);
  state.prefix_text = h.text_used.load(std::memory_order_relaxed);
  if (h.output_fd >= 0) state.prefix_output = raw_syscall(SYS_lseek, h.output_fd, 0, SEEK_CUR);
  keep_offsets(h.output_fd);
  raw_syscall(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  state.threads_wanted = state.execution->scheduler().thread_count() + 2;
  h.state.store(WorkerState::kZygote, std::memory_order_release);
  serve();
}

strategy::Strategy* chosen_strategy(const RunSpec& spec) {
  if (spec.replay == ReplayKind::kNone) return strategy::make_strategy(spec.strategy);
  state.replay.set_log({state.channel.replay(), state.channel.header()->replay_count},
                       spec.replay == ReplayKind::kExact);
  return &state.replay;
}

}  // namespace

engine::Execution* execution() { return state.execution; }

bool attach(char** environment) {
  const int descriptor = channel_descriptor(environment);
  if (descriptor < 0) return false;
  std::uint64_t bytes = 0;
  void* mapping = map_shared(descriptor, bytes);
  if (mapping == nullptr || !Channel::valid(mapping, bytes)) return false;
  state.channel = Channel(mapping);
  ChannelHeader& h = *state.channel.header();
  // A program that this one starts is no part of the session, even if it was built with heddle, too.
  if (h.state.load(std::memory_order_acquire) != WorkerState::kStarting) return false;
  raw_syscall(SYS_close, descriptor);
  return true;
}

engine::Execution* start() {
  ChannelHeader& h = *state.channel.header();
  if (h.campaign_fd >= 0) {
    std::uint64_t campaign_bytes = 0;
    state.campaign = static_cast<CampaignState*>(map_shared(h.campaign_fd, campaign_bytes));
    HEDDLE_CHECK(state.campaign != nullptr);
    raw_syscall(SYS_close, h.campaign_fd);
  }
  offer_to_the_oom_killer();
  strategy::Strategy* strategy = chosen_strategy(h.spec);
  HEDDLE_CHECK(strategy != nullptr);
  h.heap_address = address_map::kHeap;
  note_modules();
  h.program_address = h.module_count != 0 ? h.modules[0].base : 0;
  state.execution = new (execution_storage) engine::Execution;
  state.execution->start(state.channel, strategy, {at_first_choice, end_execution});
  h.current.threads = 1;
  h.state.store(WorkerState::kPrefix, std::memory_order_release);
  install_crash_handlers();
  install_watchdog();
  return state.execution;
}

void leave_engine() {
  state.execution = nullptr;
  state.channel = Channel();
}

void note_modules() {
  engine::RuntimeScope scope;
  write_modules(state.channel);
}

void program_exits(int status) {
  state.channel.header()->current.status = status;
  state.execution->check_at_exit();
}

}  // namespace heddle::session
