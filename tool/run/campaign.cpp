#include "tool/run/campaign.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "core/base/random.h"
#include "core/trace/portfolio.h"
#include "tool/artifact/artifact.h"
#include "tool/artifact/fingerprint.h"
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

constexpr std::uint64_t kMostBehaviours = 4'000'000;
constexpr std::uint64_t kMostWarningsExamined = 8;

constexpr std::uint32_t kMostSuppressedExamined = 8;

}  // namespace

Campaign::Campaign(Target target, CampaignOptions options)
    : target_(std::move(target)), options_(std::move(options)) {}

double Campaign::elapsed() const { return wall_seconds() - started_; }

void Campaign::end_with(Error error) {
  if (!outcome_.error) outcome_.error = std::move(error);
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
  for (unsigned i = 0; i < options_.jobs; ++i) {
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
  end_with(
      {"The program overwrote memory of heddle's. Look for a wild write, with AddressSanitizer for "
       "example.",
       ExitCode::kInconclusive});
  return {};
}

Campaign::Arrived Campaign::arrived_at(const Process& worker, std::uint64_t place) {
  const Channel channel = worker.channel();
  const ChannelHeader& h = worker.header();
  Arrived arrived{channel.ring()[place % channel.ring_capacity()], {}, {}};
  if ((arrived.result.flags & result_flags::kChoicesHeld) != 0) {
    const std::uint32_t count = std::min(arrived.result.choices, channel.choice_capacity());
    arrived.choices.assign(channel.choices(), channel.choices() + count);
  }
  for (const std::uint32_t outcome : arrived.result.outcomes) {
    if (outcome == 0 || outcome > kMaxOutcomes) break;
    const std::uint32_t at = h.outcome_at[outcome - 1];
    if (at >= h.outcome_text.bytes) break;
    arrived.outcomes.emplace_back(channel.outcome_text() + at,
                                  strnlen(channel.outcome_text() + at, h.outcome_text.bytes - at));
  }
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
  bool cut = false;
  const std::string output = worker.output(cut);
  const WorkerState state = worker.header().state.load();
  if (state == WorkerState::kStarting) {
    return end_with(
        {"The program ended before heddle's runtime could start. Does it load libheddle.so? Its output "
         "was:\n" +
             output,
         ExitCode::kInconclusive});
  }
  result.index = 0;
  result.flags |= result_flags::kNoChoice;
  stopped_because_ = killed ? "the program did not reach its first choice in time"
                            : "the program makes no choice: every execution is the same";
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
  if (in_prefix && elapsed() * 1e9 > static_cast<double>(options_.spec.timeout_ns) && !worker.poll()) {
    worker.ask_where();
    worker.kill();
    return take_prefix_run(worker, true);
  }
  if (!worker.poll()) return;
  drain(worker);
  const WorkerState state = worker.header().state.load();
  if (state < WorkerState::kZygote) return take_prefix_run(worker, false);
  if (state == WorkerState::kFinished || done_) return;
  // The zygote itself died: the execution that it was busy with is lost, and said so.
  ExecutionResult lost = worker.header().current;
  lost.ending = Ending::kInternalError;
  waiting_.emplace(lost.index, Arrived{lost, {}, {}});
  state_->learning().record_lost();
  if (++restarts_ > 3) {
    return end_with({"A worker process died again and again. Is the machine out of memory? Try -j 1.",
                     ExitCode::kOwnError});
  }
  LaunchOptions launch;
  launch.mode = ChannelMode::kCampaign;
  launch.campaign = state_memory_.descriptor();
  auto process = Process::launch(target_, options_.spec, launch);
  if (!process) return end_with(process.error());
  worker = std::move(*process);
}

// Each worker publishes by ascending indices: the next result of all is at the head of one of the rings, or
// waits since it had to be taken from there, or its execution is under way.
void Campaign::consume_in_order() {
  for (bool found = true; found && !done_;) {
    found = consume_waiting();
    for (Process& worker : workers_) found = consume_unread(worker) || found;
  }
}

bool Campaign::consume_waiting() {
  bool found = false;
  while (!done_) {
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
  for (Unread unread = unread_of(worker); !done_ && unread.begin < unread.end;
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
  consume(arrived);
  if (options_.executions && next_ >= *options_.executions) done_ = true;
}

void Campaign::consume(const Arrived& arrived) {
  const ExecutionResult& result = arrived.result;
  report::CampaignReport& report = outcome_.report;
  if (result.ending == Ending::kRedundant) {
    ++report.redundant_executions;
    return;
  }
  ++report.executions;
  ++report.endings[std::min(static_cast<std::size_t>(result.ending), report::kEndings - 1)];
  report.digest = mix(mix(report.digest, result.trace_hash), mix(static_cast<std::uint64_t>(result.ending),
                                                                 static_cast<std::uint64_t>(result.status)));
  for (const std::string& text : arrived.outcomes) {
    ++report.outcomes[text];
    report.first_executions.emplace(text, result.index);
  }
  StrategyCount* share = result.member != kNoMember ? &members_[result.member] : nullptr;
  if (share != nullptr) ++share->executions;
  const std::uint64_t buggy_before = report.buggy_executions;
  consume_findings(arrived);
  if (share != nullptr) share->buggy_executions += report.buggy_executions - buggy_before;
}

void Campaign::consume_findings(const Arrived& arrived) {
  const ExecutionResult& result = arrived.result;
  report::CampaignReport& report = outcome_.report;
  report.pruned_executions += (result.flags & result_flags::kPruned) != 0 ? 1 : 0;
  if (behaviours_.size() < kMostBehaviours) behaviours_.note(behaviour(result));
  if (result.ending == Ending::kUnsupported || result.ending == Ending::kInternalError) {
    return investigate(arrived, 0);
  }
  const std::vector<std::uint64_t> signatures = signatures_of(result, options_.allowed_exits);
  if (!signatures.empty()) {
    count_bugs(arrived, signatures);
  } else if (result.findings != 0) {
    if (options_.warnings_as_bugs) ++report.buggy_executions;
    if (warnings_examined_++ < kMostWarningsExamined) investigate(arrived, 0);
  }
}

void Campaign::count_bugs(const Arrived& arrived, const std::vector<std::uint64_t>& signatures) {
  const bool all_known = std::all_of(signatures.begin(), signatures.end(), [&](std::uint64_t signature) {
    const auto suppressed = suppressed_.find(signature);
    return is_bug(signature) ||
           (suppressed != suppressed_.end() && suppressed->second.examined >= kMostSuppressedExamined);
  });
  if (all_known) {
    for (const std::uint64_t signature : signatures) {
      if (is_bug(signature)) {
        ++outcome_.bugs[by_signature_.at(signature)].count;
      } else {
        ++suppressed_.at(signature).by->hits;
      }
    }
  } else {
    investigate(arrived, signatures.front());
  }
  const bool has_bug = std::any_of(signatures.begin(), signatures.end(), [&](std::uint64_t signature) {
    return is_bug(signature) || !suppressed_.contains(signature);
  });
  if (has_bug) ++outcome_.report.buggy_executions;
}

void Campaign::take_out_suppressed(Trace& trace) {
  std::erase_if(trace.findings, [&](const TraceFinding& finding) {
    Suppressions::Entry* entry = options_.suppressions.match(trace, finding);
    if (entry == nullptr) return false;
    ++entry->hits;
    Suppressed& suppressed = suppressed_[finding.signature];
    suppressed.by = entry;
    ++suppressed.examined;
    return true;
  });
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
    if (done_) return {};
    usleep(200);
  }
  return OwnTurn(&outside);
}

void Campaign::investigate(const Arrived& arrived, std::uint64_t signature) {
  const ExecutionResult& result = arrived.result;
  SingleOptions single;
  single.index = result.index;
  single.replay = arrived.choices;
  single.campaign = state_memory_.descriptor();
  single.allowed_exits = options_.allowed_exits;
  single.kept_events = options_.kept_events;
  single.symbolise = options_.symbolise;
  RunSpec spec = options_.spec;
  if (!arrived.choices.empty()) spec.replay = ReplayKind::kExact;
  auto run = [&] {
    const OwnTurn turn = wait_for_turn();
    return run_single(target_, spec, single);
  }();
  if (!run) return end_with(run.error());
  if (result.ending == Ending::kUnsupported) {
    return end_with({run->trace.result.message.empty() ? "The program uses a call that is not supported."
                                                       : run->trace.result.message,
                     ExitCode::kInconclusive});
  }
  if (result.ending == Ending::kInternalError) {
    return end_with({"An execution ended by an error of heddle's own (execution " +
                         std::to_string(result.index) + "). Output:\n" + run->trace.output,
                     ExitCode::kOwnError});
  }
  const std::vector<std::uint64_t> again = signatures_of(run->result, options_.allowed_exits);
  const bool same = run->result.trace_hash == result.trace_hash && run->result.choices == result.choices &&
                    run->result.ending == result.ending &&
                    (signature == 0 || (!again.empty() && again.front() == signature));
  if (!same) {
    ++outcome_.unconfirmed;
    outcome_.report.warnings.push_back("Execution " + std::to_string(result.index) +
                                       " showed a finding that did not show when it was run again: the "
                                       "program depends on something outside heddle's "
                                       "control. --verify-determinism shows where.");
    if (signature == 0) return;
  }
  take_out_suppressed(run->trace);
  for (std::size_t i = 0; i < run->trace.findings.size() && !done_; ++i) {
    add_finding(run->trace, i, result, run->trace.findings[i].signature);
  }
}

void Campaign::add_finding(Trace trace, std::size_t index, const ExecutionResult& result,
                           std::uint64_t signature) {
  const TraceFinding& finding = trace.findings[index];
  const std::string print = fingerprint(trace, finding);
  const auto known = by_fingerprint_.find(print);
  if (known != by_fingerprint_.end()) {
    by_signature_.emplace(signature, known->second);
    // The two sides may have met both ways in one execution.
    FoundBug& bug = outcome_.bugs[known->second];
    if (bug.last_execution != result.index) ++bug.count;
    bug.last_execution = result.index;
    return;
  }
  const bool is_bug = finding.severity == Severity::kBug || options_.warnings_as_bugs;
  // What the artifact is about comes first in it.
  const auto first = trace.findings.begin();
  std::rotate(first, first + static_cast<std::ptrdiff_t>(index),
              first + static_cast<std::ptrdiff_t>(index) + 1);
  FoundBug bug;
  bug.count = 1;
  bug.first_execution = bug.last_execution = result.index;
  bug.confirmed = trace.result.trace_hash == result.trace_hash;
  bug.trace = std::move(trace);
  const auto old = options_.known.find(print);
  if (old != options_.known.end()) bug.known = old->second;
  const bool is_new_bug = is_bug && bug.known.empty();
  if (is_new_bug) {
    ++distinct_bugs_;
  }
  if (is_new_bug && !options_.output_directory.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options_.output_directory, error);
    bug.artifact = options_.output_directory + "/bug-" + std::to_string(distinct_bugs_) + ".heddle";
    if (auto written = write_artifact(bug.artifact, bug.trace); !written) {
      outcome_.report.warnings.push_back(written.error().message);
      bug.artifact.clear();
    }
  }
  by_fingerprint_.emplace(print, outcome_.bugs.size());
  by_signature_.emplace(signature, outcome_.bugs.size());
  outcome_.bugs.push_back(std::move(bug));
  if (is_new_bug && options_.max_failures != 0 && distinct_bugs_ >= options_.max_failures) {
    done_ = true;
    stopped_because_ = distinct_bugs_ == 1 ? "a bug was found" : "enough bugs were found";
    if (minimise) return;  // it is reported in its smaller form
  }
  outcome_.bugs.back().reported = true;
  if (on_bug) on_bug(outcome_.bugs.back());
}

void Campaign::minimise_bugs() {
  for (FoundBug& bug : outcome_.bugs) {
    if (minimise && bug.confirmed && !bug.artifact.empty()) {
      minimise(bug);
      if (auto written = write_artifact(bug.artifact, bug.trace); !written)
        outcome_.report.warnings.push_back(written.error().message);
    }
    if (!bug.reported && on_bug) on_bug(bug);
    bug.reported = true;
  }
}

CampaignOutcome Campaign::run(const std::atomic<bool>& interrupted) {
  started_ = wall_seconds();
  if (auto status = start_workers(); !status) {
    outcome_.error = status.error();
    return std::move(outcome_);
  }
  double last_progress = 0;
  while (!done_) {
    const std::uint32_t seen = state_->signal.load(std::memory_order_acquire);
    for (Process& worker : workers_) check_worker(worker);
    consume_in_order();
    for (Process& worker : workers_) drain_if_held_up(worker);
    if (done_) break;
    const double now = elapsed();
    if (on_progress && now - last_progress > 0.1) {
      last_progress = now;
      on_progress({outcome_.report.executions, distinct_bugs_, outcome_.report.buggy_executions, now,
                   options_.seconds, options_.executions.value_or(0), behaviours_.size(),
                   state_->learning().pairs().count()});
    }
    if (options_.seconds > 0 && now >= options_.seconds) {
      stopped_because_ = "the time was up";
      break;
    }
    if (interrupted.load(std::memory_order_relaxed)) {
      stopped_because_ = "it was interrupted";
      break;
    }
    const bool any_alive =
        std::any_of(workers_.begin(), workers_.end(), [](const Process& p) { return p.alive(); });
    if (!any_alive && waiting_.find(next_) == waiting_.end()) break;
    wait_for_workers(*state_, seen);
  }
  state_->stop.store(1);
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
  workers_.clear();
  const double seconds = elapsed();
  minimise_bugs();
  finish_report(seconds);
  return std::move(outcome_);
}

// A name of --trust-library that matches nothing is a mistake that nothing else would show.
void Campaign::note_unknown_libraries() {
  std::uint32_t matched = 0;
  for (const Process& worker : workers_) matched |= worker.header().trusted_matched;
  std::istringstream names(options_.spec.trusted_libraries);
  std::string name;
  for (std::uint32_t i = 0; std::getline(names, name); ++i) {
    if ((matched >> i & 1) != 0 || outcome_.report.executions == 0) continue;
    outcome_.report.warnings.push_back("--trust-library " + name +
                                       ": the program has loaded no library of this name that was built "
                                       "without heddle.");
  }
}

// What exhaustive search has to say at its end.
void Campaign::take_search_progress() {
  report::CampaignReport& report = outcome_.report;
  const SearchProgress& search = state_->learning().search();
  const std::uint64_t complete = search.complete.load();
  const double covered = static_cast<double>(search.covered.load()) * 0x1p-63;
  if (report.exhausted) {
    stopped_because_ = "every execution was explored";
  } else if (search.exhausted.load() != 0 && search.bound_hit.load() != 0 && stopped_because_.empty()) {
    stopped_because_ = "every execution within the bounds of " + std::string(options_.spec.strategy) +
                       " was explored; there are others beyond";
  } else if (complete != 0 && covered > 0 &&
             std::string_view(options_.spec.strategy).starts_with("exhaustive")) {
    report.estimated_executions = static_cast<double>(complete) / covered;
  }
}

void Campaign::report_strategies() {
  report::CampaignReport& report = outcome_.report;
  if (members_.empty()) {
    report.strategies = {{options_.spec.strategy, report.executions, report.buggy_executions}};
    return;
  }
  for (const auto& [member, share] : members_) {
    const char* name = member < kPortfolioSize ? kPortfolio[member] : "?";
    report.strategies.push_back({name, share.executions, share.buggy_executions});
  }
}

void Campaign::finish_report(double seconds) {
  report::CampaignReport& report = outcome_.report;
  report.seconds = seconds;
  report.workers = options_.jobs;
  report.seed = options_.spec.seed;
  report.program = target_.argv;
  report.program_path = target_.path;
  report.build_id = target_.build_id;
  report.exhausted = state_ != nullptr && state_->exhausted.load() != 0 && stopped_because_.empty();
  if (state_ != nullptr) take_search_progress();
  report.stopped_because = stopped_because_.empty() ? "the executions asked for were run" : stopped_because_;
  report_strategies();
  report.distinct_executions = behaviours_.size();
  report.executions_seen_once = behaviours_.seen(1);
  report.executions_seen_twice = behaviours_.seen(2);
  if (state_ != nullptr) report.read_pairs = state_->learning().pairs().count();
  for (const FoundBug& bug : outcome_.bugs) {
    report.findings.push_back(
        {&bug.trace, bug.finding, bug.count, bug.first_execution, bug.artifact, bug.known});
  }
  for (const Suppressions::Entry& entry : options_.suppressions.entries()) {
    if (entry.hits != 0) report.suppressed.push_back({entry.text, entry.hits, entry.built_in});
  }
  const auto& endings = report.endings;
  const std::uint64_t inconclusive = endings[static_cast<std::size_t>(Ending::kTimedOut)];
  if (!outcome_.error && outcome_.bugs.empty() && report.executions != 0 &&
      inconclusive == report.executions) {
    outcome_.error = Error{
        "Every execution ran out of time. Give them more (--timeout), or look for a loop that waits "
        "for something outside the program.",
        ExitCode::kInconclusive};
  }
  if (!outcome_.error && report.executions == 0) {
    outcome_.error = Error{"No execution was completed in the time given.", ExitCode::kInconclusive};
  }
}

}  // namespace heddle::run
