#include "runtime/session/held_execution.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sched/real_threads.h"
#include "runtime/session/prefix_files.h"

namespace heddle::session {
namespace {

// An execution that was killed from outside is run again; one that is killed as often as this is given up.
constexpr std::uint32_t kMostDeaths = 2;

void set_phase(State& s, Phase phase) { s.channel.header()->phase.store(phase, std::memory_order_release); }

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

void let_go(State& s) {
  ChannelHeader& h = *s.channel.header();
  h.done.store(h.current.index + 1, std::memory_order_relaxed);
  h.deaths.store(0, std::memory_order_relaxed);
  set_phase(s, Phase::kIdle);
}

// What is left to do once the result is known, from that phase on.
void hand_over(State& s, Phase from) {
  ChannelHeader& h = *s.channel.header();
  if (from <= Phase::kFinishing && s.campaign != nullptr) {
    s.strategy->teach(h.current);
    s.campaign->learning().note(h.current);
  }
  if (from <= Phase::kFinishing) {
    set_phase(s, Phase::kCounting);
    if (s.campaign != nullptr) s.campaign->count(h.current);
  }
  set_phase(s, Phase::kPublishing);
  publish(s);
  let_go(s);
}

bool is_in_ring(const State& s, std::uint64_t index) {
  const ChannelHeader& h = *s.channel.header();
  const std::uint64_t written = h.ring_written.load(std::memory_order_acquire);
  return written != 0 && s.channel.ring()[(written - 1) % s.channel.ring_capacity()].index == index;
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

// The index that is held, or the next one; kNone: all that were asked for are taken.
std::uint64_t held_index(State& s) {
  ChannelHeader& h = *s.channel.header();
  if (h.phase.load(std::memory_order_relaxed) != Phase::kIdle) return s.campaign->claims.latest(h.worker);
  set_phase(s, Phase::kTaking);
  const std::uint64_t index = s.campaign->claims.take(h.worker, s.campaign->limit);
  set_phase(s, index == IndexClaims::kNone ? Phase::kIdle : Phase::kTaken);
  return index;
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

// The process died with an execution that was ready to begin, or under way.
void settle_execution(State& s, int wait_status, bool timed_out) {
  ChannelHeader& h = *s.channel.header();
  const bool has_begun = h.execution_began.load(std::memory_order_acquire) != 0;
  const bool was_killed = !timed_out && WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL &&
                          (!has_begun || h.current.ending == Ending::kRunning);
  if (was_killed && h.deaths.fetch_add(1, std::memory_order_relaxed) + 1 < kMostDeaths) return;
  if (was_killed) s.campaign->torn.store(1, std::memory_order_relaxed);
  if (!has_begun) start_execution(s, s.campaign->claims.latest(h.worker));
  conclude_by_status(h.current, wait_status, timed_out);
  finish_execution(s);
}

}  // namespace

std::uint64_t wall_nanoseconds() {
  timespec t{};
  sched::real_clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

bool take_execution(State& s, std::uint64_t& index) {
  if (s.campaign->stop.load(std::memory_order_relaxed) != 0) return false;
  if (s.campaign->none_left.load(std::memory_order_relaxed) != 0) return false;
  index = held_index(s);
  if (index == IndexClaims::kNone) return false;
  if (s.channel.header()->phase.load(std::memory_order_relaxed) == Phase::kReady) return true;  // once more
  const bool has_clients = s.campaign->learning().clients().in_use.load(std::memory_order_relaxed) != 0;
  do {
    set_phase(s, Phase::kTaken);
    if (!await_others(s, index)) return false;
    set_phase(s, Phase::kPreparing);
    if (s.strategy->prepare_next(index)) {
      set_phase(s, Phase::kReady);
      return true;
    }
    set_phase(s, Phase::kTaken);
    // Where this client has no more executions another one may follow.
    if (has_clients) tell_tool(s);
  } while (has_clients);
  if (s.strategy->explored_all()) s.campaign->exhausted.store(1, std::memory_order_relaxed);
  s.campaign->none_left.store(1, std::memory_order_release);
  tell_tool(s);
  return false;
}

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

void finish_execution(State& s) {
  ChannelHeader& h = *s.channel.header();
  h.current.choices = h.choice_count.load(std::memory_order_relaxed);
  h.current.events = h.event_count.load(std::memory_order_relaxed);
  const std::uint64_t began = h.execution_began.load(std::memory_order_relaxed);
  h.current.duration_us = static_cast<std::uint32_t>((wall_nanoseconds() - began) / 1000);
  if (h.current.threads > h.most_threads) h.most_threads = h.current.threads;
  set_phase(s, Phase::kFinishing);
  h.execution_began.store(0, std::memory_order_release);
  ++h.repetition.executions;
  ++h.repetition.executions_of_process;
  hand_over(s, Phase::kFinishing);
}

void settle_after_death(State& s, int wait_status, bool timed_out) {
  ChannelHeader& h = *s.channel.header();
  const Phase phase = h.phase.load(std::memory_order_acquire);
  switch (phase) {
    case Phase::kIdle:
    case Phase::kTaken:
      return;
    case Phase::kTaking: {
      const std::uint64_t latest = s.campaign->claims.latest(h.worker);
      const bool has_one = latest != IndexClaims::kNone && latest >= h.done.load(std::memory_order_relaxed);
      return set_phase(s, has_one ? Phase::kTaken : Phase::kIdle);
    }
    case Phase::kPreparing:
      s.campaign->torn.store(1, std::memory_order_relaxed);
      return set_phase(s, Phase::kTaken);
    case Phase::kReady:
      return settle_execution(s, wait_status, timed_out);
    case Phase::kFinishing:
      h.execution_began.store(0, std::memory_order_release);
      return hand_over(s, phase);
    case Phase::kCounting:
      // Whether it was counted is not known. The tool makes up for one that was not, where others wait for
      // it.
    case Phase::kPublishing:
      if (!is_in_ring(s, h.current.index)) return hand_over(s, phase);
      if ((h.current.flags & result_flags::kChoicesHeld) != 0)
        wait_until_read(s, h.ring_written.load(std::memory_order_relaxed));
      tell_tool(s);
      return let_go(s);
  }
}

}  // namespace heddle::session
