#include "tool/run/campaign.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/random.h"
#include "tool/run/interruption.h"
#include "tool/run/not_run.h"
#include "tool/run/repetition.h"
#include "tool/run/stuck.h"

namespace heddle::run {
namespace {

double wall_seconds() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Sleeps until a worker has something urgent to say, or for a twentieth of a second.
void wait_for_workers(CampaignState& state, std::uint32_t seen) {
  timespec timeout{0, 50'000'000};
  syscall(SYS_futex, &state.signal, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

}  // namespace

Campaign::Campaign(Target target, CampaignOptions options)
    : target_(std::move(target)), options_(std::move(options)) {}

double Campaign::elapsed() const { return wall_seconds() - started_; }

// A result may take long to look at: the time may be up between two of them.
bool Campaign::is_late() const { return options_.seconds > 0 && elapsed() >= options_.seconds; }

void Campaign::end_with(Error error) {
  if (!outcome_.error) outcome_.error = std::move(error);
  if (stopped_because_.empty()) stopped_because_ = "it could not go on";
  done_ = true;
}

Status Campaign::start_workers() {
  auto memory = SharedMemory::create("heddle-campaign", CampaignState::kBytes);
  if (!memory) return memory.error();
  state_memory_ = std::move(*memory);
  state_ = new (state_memory_.data()) CampaignState;
  if (options_.executions) state_->limit.store(*options_.executions);
  // What the budget may come to, by the option and not by the clock. Who counts bugs wants all executions.
  constexpr double kExecutionsPerSecond = 2000;
  const auto in_time = static_cast<std::uint64_t>(options_.seconds * kExecutionsPerSecond);
  if (options_.max_failures != 0) state_->learning().planned.store(options_.executions.value_or(in_time));
  state_->outside.may_overlap.store(options_.overlap ? 1 : 0);
  LaunchOptions launch;
  launch.mode = ChannelMode::kCampaign;
  launch.campaign = state_memory_.descriptor();
  options_.jobs = std::min(options_.jobs, IndexClaims::kMostWorkers);
  for (launch.worker = 0; launch.worker < options_.jobs; ++launch.worker) {
    auto process = Process::launch(target_, options_.spec, launch);
    if (!process) return process.error();
    workers_.push_back(std::move(*process));
  }
  return Done{};
}

Campaign::Unread Campaign::unread_of(const Process& worker) {
  const ChannelHeader& h = worker.header();
  const Unread unread{h.ring_read.load(std::memory_order_relaxed),
                      h.ring_written.load(std::memory_order_acquire)};
  if (unread.end - unread.begin <= worker.channel().ring_capacity()) return unread;
  end_overwritten();
  return {};
}

// What the program shares with us it can write, too. Without this look, who waits for a word of shared memory
// to change might wait for ever.
bool Campaign::is_intact() const {
  return state_->magic == CampaignState::kMagic &&
         std::all_of(workers_.begin(), workers_.end(), [](const Process& worker) {
           return Channel::valid(&worker.header(), worker.channel_bytes());
         });
}

void Campaign::end_overwritten() {
  overwritten_ = true;
  stopped_because_ = "the program overwrote what it shares with heddle";
  end_with(
      {"The program overwrote memory that it shares with heddle (its shared mappings). Look for a wild "
       "write, with AddressSanitizer for example.",
       ExitCode::kInconclusive});
}

std::vector<std::string> Campaign::outcomes_of(const Process& worker, const ExecutionResult& result) {
  const Channel channel = worker.channel();
  const ChannelHeader& h = worker.header();
  std::vector<std::string> outcomes;
  for (const std::uint32_t outcome : result.outcomes) {
    if (outcome == 0 || outcome > kMaxOutcomes) break;
    const std::uint32_t at = h.outcome_at[outcome - 1];
    if (at >= h.outcome_text.bytes) break;
    outcomes.emplace_back(channel.outcome_text() + at,
                          strnlen(channel.outcome_text() + at, h.outcome_text.bytes - at));
  }
  return outcomes;
}

Campaign::Arrived Campaign::arrived_at(const Process& worker, std::uint64_t place) {
  const Channel channel = worker.channel();
  Arrived arrived{channel.ring()[place % channel.ring_capacity()], {}, {}};
  if ((arrived.result.flags & result_flags::kChoicesHeld) != 0) {
    const std::uint32_t count = std::min(arrived.result.choices, channel.choice_capacity());
    arrived.choices.assign(channel.choices(), channel.choices() + count);
  }
  arrived.outcomes = outcomes_of(worker, arrived.result);
  return arrived;
}

void Campaign::drain(Process& worker) {
  Unread unread = unread_of(worker);
  if (unread.begin == unread.end) return;
  for (; unread.begin != unread.end; ++unread.begin) {
    Arrived arrived = arrived_at(worker, unread.begin);
    waiting_.emplace(arrived.result.index, std::move(arrived));
  }
  worker.header().ring_read.store(unread.end, std::memory_order_release);
}

// Results that come too early stay where they are, unless the worker would have to wait for room or for
// somebody to read its choices.
void Campaign::drain_if_held_up(Process& worker) {
  const Unread unread = unread_of(worker);
  if (unread.begin == unread.end) return;
  const Channel channel = worker.channel();
  const ExecutionResult& latest = channel.ring()[(unread.end - 1) % channel.ring_capacity()];
  if ((latest.flags & result_flags::kChoicesHeld) != 0 ||
      unread.end - unread.begin > channel.ring_capacity() / 2)
    drain(worker);
}

// The program ended, or was killed, before it made any choice: that is the one execution there is.
void Campaign::take_prefix_run(Process& worker, bool killed) {
  ExecutionResult result = conclude(worker, killed);
  if (auto error = killed ? std::nullopt : start_error(worker)) return end_with(*error);
  result.index = 0;
  result.flags |= result_flags::kNoChoice;
  stopped_because_ = killed ? "the program did not reach its first choice in time"
                            : "the program makes no choice: every execution is the same";
  makes_no_choice_ = !killed;
  options_.executions = 1;
  waiting_.clear();
  next_ = 0;
  Arrived arrived{result, {}, {}};
  for (const std::uint32_t at : result.outcomes) {
    if (at != 0)
      arrived.outcomes.emplace_back(worker.channel().outcome_text() + worker.header().outcome_at[at - 1]);
  }
  waiting_.emplace(0, std::move(arrived));
  state_->stop.store(1);
}

void Campaign::check_worker(Process& worker) {
  if (!worker.alive()) return;
  const bool in_prefix = worker.header().state.load(std::memory_order_acquire) < WorkerState::kZygote;
  const auto limit = std::chrono::nanoseconds(options_.spec.timeout_ns);
  if (in_prefix && std::chrono::steady_clock::now() - worker.launched() > limit && !worker.poll()) {
    worker.ask_where();
    worker.kill();
    return take_prefix_run(worker, true);
  }
  if (!worker.poll()) return;
  drain(worker);
  const WorkerState state = worker.header().state.load();
  if (state == WorkerState::kFinished || done_) return;
  if (state >= WorkerState::kZygote || worker.was_killed_from_outside()) return replace(worker);
  take_prefix_run(worker, false);
}

// The worker was killed: another one goes on where it was.
void Campaign::replace(Process& worker) {
  if (++replaced_ > kMostReplaced) {
    return end_with({"Worker processes were killed again and again. Is the machine out of memory? Try -j 1.",
                     ExitCode::kInconclusive});
  }
  const auto number = static_cast<std::uint32_t>(&worker - workers_.data());
  const Legacy legacy = legacy_of(worker, number, *state_);
  if (legacy.result) {
    Arrived arrived{*legacy.result, outcomes_of(worker, *legacy.result), {}};
    const Channel channel = worker.channel();
    const std::uint32_t count = std::min(legacy.result->choices, channel.choice_capacity());
    if (legacy.result->ending != Ending::kSignalled)
      arrived.choices.assign(channel.choices(), channel.choices() + count);
    waiting_.emplace(legacy.result->index, std::move(arrived));
  }
  LaunchOptions launch;
  launch.mode = ChannelMode::kCampaign;
  launch.campaign = state_memory_.descriptor();
  launch.worker = number;
  launch.takeover = legacy.takeover;
  auto process = Process::launch(target_, options_.spec, launch);
  if (!process) return end_with(process.error());
  worker = std::move(*process);
}

// Each worker publishes by ascending indices: the next result of all is at the head of one of the rings, or
// waits since it had to be taken from there, or its execution is under way.
void Campaign::consume_in_order() {
  for (bool found = true; found && !done_ && !is_late();) {
    found = consume_waiting();
    for (Process& worker : workers_) found = consume_unread(worker) || found;
  }
}

bool Campaign::consume_waiting() {
  bool found = false;
  while (!done_ && !is_late()) {
    const auto it = waiting_.find(next_);
    if (it == waiting_.end()) break;
    const Arrived arrived = std::move(it->second);
    waiting_.erase(it);
    consume_next(arrived);
    found = true;
  }
  return found;
}

bool Campaign::consume_unread(Process& worker) {
  const Channel channel = worker.channel();
  std::atomic<std::uint64_t>& read = worker.header().ring_read;
  bool found = false;
  // (To look at a result may take long, and may drain the ring.)
  for (Unread unread = unread_of(worker); !done_ && !is_late() && unread.begin < unread.end;
       unread.begin = read.load(std::memory_order_relaxed)) {
    if (channel.ring()[unread.begin % channel.ring_capacity()].index != next_) break;
    const Arrived arrived = arrived_at(worker, unread.begin);
    read.store(unread.begin + 1, std::memory_order_release);
    consume_next(arrived);
    found = true;
  }
  return found;
}

void Campaign::consume_next(const Arrived& arrived) {
  ++next_;
  replaced_ = 0;
  consume(arrived);
  // Whatever becomes of this process, what it has found so far is there with its campaign.
  if (has_unkept_bug_ && keep) keep(report_so_far());
  has_unkept_bug_ = false;
  if (options_.executions && outcome_.report.executions >= *options_.executions) done_ = true;
  const std::uint64_t timed_out = outcome_.report.endings[static_cast<std::size_t>(Ending::kTimedOut)];
  if (options_.most_timed_out != 0 && timed_out >= options_.most_timed_out && !done_) {
    stopped_because_ = "too many executions ran out of time";
    done_ = true;
  }
}

void Campaign::consume(const Arrived& arrived) {
  const ExecutionResult& result = arrived.result;
  report::CampaignReport& report = outcome_.report;
  if (result.ending == Ending::kRedundant) {
    ++report.redundant_executions;
    return;
  }
  ++report.executions;
  seen_flags_ |= result.flags;
  ++report.endings[std::min(static_cast<std::size_t>(result.ending), report::kEndings - 1)];
  report.digest = mix(mix(report.digest, result.trace_hash), mix(static_cast<std::uint64_t>(result.ending),
                                                                 static_cast<std::uint64_t>(result.status)));
  for (const std::string& text : arrived.outcomes) {
    ++report.outcomes[text];
    report.first_executions.emplace(text, report.executions - 1);
  }
  StrategyCount* share = result.member != kNoMember ? &members_[result.member] : nullptr;
  if (share != nullptr) ++share->executions;
  const std::uint64_t buggy_before = report.buggy_executions;
  consume_findings(arrived);
  if (share != nullptr) share->buggy_executions += report.buggy_executions - buggy_before;
}

// Where executions take turns, the one that the tool runs has to wait for one, too. Workers may wait for the
// tool meanwhile.
Campaign::OwnTurn Campaign::wait_for_turn() {
  SharedOutside& outside = state_->outside;
  if (!outside.takes_turns()) return {};
  const auto own = static_cast<std::uint32_t>(getpid());
  while (!outside.try_take(own)) {
    const std::uint32_t owner = outside.owner.load();
    if (owner != 0 && kill(static_cast<pid_t>(owner), 0) != 0 && errno == ESRCH) outside.give_back(owner);
    for (Process& worker : workers_) drain(worker);
    if (done_ || was_interrupted()) return {};
    usleep(200);
  }
  return OwnTurn(&outside);
}

CampaignOutcome Campaign::run(const std::atomic<bool>* enough) {
  started_ = wall_seconds();
  if (auto status = start_workers(); !status) {
    outcome_.error = status.error();
    describe(outcome_.report, 0);
    outcome_.report.complete = false;
    return std::move(outcome_);
  }
  double last_progress = 0;
  while (!done_) {
    const std::uint32_t seen = state_->signal.load(std::memory_order_acquire);
    if (!is_intact()) {
      end_overwritten();
      break;
    }
    for (Process& worker : workers_) check_worker(worker);
    consume_in_order();
    for (Process& worker : workers_) drain_if_held_up(worker);
    if (done_) break;
    const double now = elapsed();
    completion_watch_.look(workers_, *state_, now);
    if (on_progress && now - last_progress > 0.1) {
      last_progress = now;
      on_progress({outcome_.report.executions, distinct_bugs_, outcome_.report.buggy_executions, now,
                   options_.seconds, options_.executions.value_or(0), behaviours_.size(),
                   behaviours_.seen_once()});
    }
    if (is_late()) {
      stopped_because_ = "the time was up";
      break;
    }
    if (was_interrupted() || (enough != nullptr && enough->load(std::memory_order_relaxed))) {
      stopped_because_ = "it was interrupted";
      interrupted_ = true;
      break;
    }
    const bool any_alive =
        std::any_of(workers_.begin(), workers_.end(), [](const Process& p) { return p.alive(); });
    if (!any_alive && waiting_.find(next_) == waiting_.end()) break;
    wait_for_workers(*state_, seen);
  }
  state_->stop.store(1);
  if (!overwritten_) note_what_workers_tell();
  workers_.clear();
  const double seconds = elapsed();
  minimise_bugs();
  finish_report(seconds);
  return std::move(outcome_);
}

void Campaign::note_what_workers_tell() {
  std::vector<RepetitionReport> repetitions;
  for (const Process& worker : workers_) repetitions.push_back(worker.header().repetition);
  outcome_.report.repetition = describe_repetition(repetitions);
  for (const Process& worker : workers_) {
    const std::string stuck = describe_stuck(worker.header());
    if (stuck.empty()) continue;
    outcome_.report.warnings.push_back(stuck);
    break;
  }
  note_unknown_libraries();
  if (options_.jobs > 1 && state_->outside.takes_turns())
    outcome_.report.warnings.push_back(
        "Executions took turns, since they would share what the program changes outside (" +
        std::string(state_->outside.what, strnlen(state_->outside.what, sizeof state_->outside.what)) +
        "). -j N runs N at the same time all the same.");
}

}  // namespace heddle::run
