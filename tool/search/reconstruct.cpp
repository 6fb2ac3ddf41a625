#include "tool/search/reconstruct.h"

#include <algorithm>
#include <queue>
#include <set>

#include "core/record/path_state.h"
#include "tool/constraints/possible.h"
#include "tool/run/time_limit.h"
#include "tool/search/goals.h"

namespace heddle::search {
namespace {

LoggedPaths only_paths(const TracedRun& run) {
  LoggedPaths paths;
  for (const auto& [name, own] : decisions_of(run)) paths[name] = own.path;
  return paths;
}

const TraceFinding* hang_of(const Trace& trace) {
  for (const TraceFinding& finding : trace.findings) {
    if (manner_of(finding.kind) == Manner::kHang) return &finding;
  }
  return nullptr;
}

// An execution that leaves the log somewhere.
struct Reached {
  std::shared_ptr<TracedRun> run;
  Executed executed;
  MatchedThreads matched;
  std::size_t total = 0;  // steps that match
  std::size_t wrong = 0;  // threads that leave their path
};

class Reconstructor {
 public:
  Reconstructor(Executions& executions, const LoggedPaths& log, const LoggedEnd& end,
                const ReconstructOptions& options,
                const std::function<void(std::size_t, std::size_t)>& on_step)
      : executions_(executions),
        log_(log),
        fails_(end.fails),
        failing_(end.thread),
        hangs_(end.hangs),
        lacks_bits_(end.lacks_bits),
        options_(options),
        on_step_(on_step),
        known_(end.thread) {}

  Result<Reconstruction> run() {
    began_ = run::worked_seconds();
    for (const auto& [name, path] : log_) all_ += path.size();
    auto first = executions_.follow(std::span<const Departure>{});
    if (!first) return first.error();
    if (auto status = take(*first); !status) return status.error();
    while (!best_.succeeded && (begins_anew_ || time_left())) {
      if (begins_anew_) {
        if (auto status = begin_anew(); !status) return status.error();
        continue;
      }
      auto is_further = go_along();
      if (!is_further) return is_further.error();
      if (best_.succeeded || *is_further || begins_anew_) continue;
      if (accepted_) break;
      if (open_.empty()) {
        if (samples_ == options_.samples) break;
        auto sample = executions_.sample(samples_++);
        if (!sample) return sample.error();
        ++best_.executions;
        if (auto status = take(*sample); !status) return status.error();
        continue;
      }
      const auto next = open_.top();
      open_.pop();
      if (auto status = advance(*next.reached); !status) return status.error();
    }
    if (!best_.succeeded && accepted_) {
      best_.succeeded = true;
      best_.executed = accepted_->executed;
      best_.matched = accepted_->matched;
    }
    return std::move(best_);
  }

 private:
  struct Open {
    std::shared_ptr<Reached> reached;
    bool operator<(const Open& other) const {
      return std::pair(reached->total, other.reached->wrong) <
             std::pair(other.reached->total, reached->wrong);
    }
  };

  bool time_left() const {
    return !begins_anew_ && best_.executions < options_.most_executions && !run::time_is_up() &&
           run::worked_seconds() - began_ < options_.seconds;
  }

  // Looks at an execution, keeps it where its paths are new, and remembers the best.
  Status take(const Executed& executed) {
    const bool died = executed.result.ending != Ending::kExited || executed.result.status != 0;
    if (executed.is_bug && !best_.met) best_.met = executed;
    auto traced = executions_.trace(executed);
    if (!traced) return traced.error().code == ExitCode::kOwnError ? Status(traced.error()) : Done{};
    if (!seen_.emplace(only_paths(**traced), executed.is_bug).second) return Done{};
    learn_initial(**traced, initial_);
    executions_.learn_static(**traced, initial_);
    auto reached = std::make_shared<Reached>();
    reached->run = std::move(*traced);
    reached->executed = executed;
    reached->matched = match(log_, *reached->run);
    bool same = true;
    for (const auto& [name, m] : reached->matched) {
      reached->total += m.steps + m.waited;
      reached->wrong += m.leaves() ? 1 : 0;
      same = same && m.whole();
    }
    known_.learn(reached->run, reached->matched);
    for (const auto& [name, own] : decisions_of(*reached->run))
      same = same && (own.path.empty() || log_.contains(name));
    // (A race that was seen on the way is no end.)
    const bool hung = hang_of(reached->run->trace) != nullptr;
    const bool ends_so = fails_ ? executed.is_bug && died && hung == hangs_ : executed.passes;
    const bool is_better = best_.matched.empty() || same > best_.same_paths || reached->total > best_total_;
    if (is_better || (same && ends_so)) {
      best_.same_paths = same;
      best_.succeeded = same && ends_so;
      best_.executed = executed;
      best_.matched = reached->matched;
      best_total_ = reached->total;
      if (on_step_) on_step_(best_total_, all_);
    }
    if (ends_so && fails_ && is_same_failure(*reached) && (!accepted_ || reached->total > accepted_->total))
      accepted_ = reached;
    if (options_.sees_races && !best_.succeeded && !accepted_) {
      auto is_new = executions_.see_races(reached->run->trace);
      if (!is_new) return is_new.error();
      begins_anew_ = begins_anew_ || *is_new;
    }
    open_.push({std::move(reached)});
    return Done{};
  }

  // More accesses are choices: the same schedule has other places in an execution, and what was known is of no use.
  Status begin_anew() {
    begins_anew_ = false;
    known_ = KnownPaths(failing_);
    seen_.clear();
    open_ = {};
    arrived_.clear();
    last_steps_of_.clear();
    stuck_at_ = samples_ = 0;
    best_total_ = 0;
    best_.matched.clear();
    best_.same_paths = false;
    auto first = executions_.follow(std::span<const Departure>{});
    if (!first) return first.error();
    ++best_.executions;
    return take(*first);
  }

  // Who failed has taken its path to the end, and nobody has left theirs.
  bool is_same_failure(const Reached& reached) const {
    if (reached.wrong != 0) return false;
    if (!hangs_) return is_at_end(reached, failing_);
    const auto& parts = hang_of(reached.run->trace)->parts;
    return std::all_of(parts.begin(), parts.end(), [&](const TracePart& part) {
      const bool waits = part.role == PartRole::kBlockedThread || part.role == PartRole::kWaits;
      return !waits || is_at_end(reached, reached.run->name_of(part.thread));
    });
  }

  bool is_at_end(const Reached& reached, const std::string& thread) const {
    const auto found = reached.matched.find(thread);
    if (found == reached.matched.end()) return false;
    const Matched& m = found->second;
    return m.steps == m.of && (m.ran == m.of || (lacks_bits_ && m.ran <= m.of + record::kMostPending));
  }

  // Brings threads further along their paths by orders of what is known of all of them. Has it become more?
  Result<bool> go_along() {
    if (stuck_at_ == known_.lessons()) return false;
    std::vector<std::string> wanted = known_.unfinished();
    const bool all_are_whole = wanted.empty();
    if (all_are_whole) {
      wanted.clear();
      for (const auto& [name, path] : log_) wanted.push_back(name);
    }
    constexpr std::uint64_t kFewSteps = 20'000, kManySteps = 1'000'000;
    for (const std::uint64_t most_steps : {kFewSteps, kManySteps}) {
      for (const auto at_end : {KnownPaths::AtEnd::kStop, KnownPaths::AtEnd::kGoOn}) {
        auto is_further = go_along(wanted, true, at_end, most_steps);
        if (!is_further || *is_further || best_.succeeded) return is_further;
        // Not all others can have come to the end of their paths by the failure: then as many as can.
        const std::vector<std::string> some = arrived_with_failing();
        if (all_are_whole && some.size() > 1 && some.size() < wanted.size()) {
          is_further = go_along(some, true, at_end, most_steps);
          if (!is_further || *is_further || best_.succeeded) return is_further;
        }
        for (std::size_t i = 0; i < wanted.size() && (wanted.size() > 1 || wanted[i] == failing_); ++i) {
          if (all_are_whole && wanted[i] != failing_) continue;
          is_further = go_along({wanted[i]}, false, at_end, most_steps);
          if (!is_further || *is_further || best_.succeeded) return is_further;
        }
      }
    }
    stuck_at_ = known_.lessons();
    return false;
  }

  std::vector<std::string> arrived_with_failing() const {
    std::vector<std::string> names = arrived_;
    if (std::find(names.begin(), names.end(), failing_) == names.end()) names.push_back(failing_);
    return names;
  }

  Result<bool> go_along(const std::vector<std::string>& wanted, bool failure_comes_last,
                        KnownPaths::AtEnd at_end, std::uint64_t most_steps) {
    arrived_.clear();
    if (!time_left()) return false;
    const auto question = known_.ask(wanted, failure_comes_last, at_end, initial_);
    if (!question) return false;
    ++best_.questions;
    const auto along = constraints::find_along(question->trace, question->wanted, question->last, most_steps);
    for (const ThreadId thread : along.arrived) arrived_.push_back(question->of.name_of(thread));
    if (along.found.answer != constraints::Answer::kSatisfiable) return false;
    const std::size_t before = known_.lessons();
    Executions::Afterwards afterwards;
    for (const auto& path : question->wanted) afterwards.woken.push_back(path.thread);
    // Once it has failed, nobody goes further.
    const auto failing = question->of.threads.find(failing_);
    const bool may_fail = std::find(wanted.begin(), wanted.end(), failing_) != wanted.end();
    if (failing != question->of.threads.end() && !may_fail) afterwards.held = failing->second.thread;
    auto status = execute_and_take(question->of, question->trace, along.found, afterwards);
    if (!status) return status.error();
    return known_.lessons() > before;
  }

  // Of threads that have one step left to make, where the others have to be by then.
  void find_last_steps(const Reached& from) {
    last_steps_of_.clear();
    for (const auto& [name, own] : decisions_of(*from.run)) {
      const auto m = from.matched.find(name);
      if (m == from.matched.end() || m->second.steps + 1 != m->second.of) continue;
      std::vector<EventId>& before = last_steps_of_[own.thread];
      for (const auto& [other, theirs] : decisions_of(*from.run)) {
        const auto matched = from.matched.find(other);
        if (other == name || matched == from.matched.end() || matched->second.steps == 0) continue;
        before.push_back(theirs.events[matched->second.steps - 1]);
      }
    }
  }

  // Each thread that leaves its path could be kept on it, the earliest first.
  Status advance(const Reached& from) {
    const Composition of = composition_of(*from.run, initial_);
    std::map<ThreadId, PathEnd> ends;  // where each leaves its path
    std::vector<std::pair<std::uint32_t, std::string>> wrong;
    for (const auto& [name, own] : decisions_of(*from.run)) {
      const auto m = from.matched.find(name);
      if (m == from.matched.end() || m->second.steps >= own.path.size()) continue;
      const std::size_t at = m->second.steps;
      ends[own.thread] = {record_from(own, at), own.events[at]};
      // Only the same branch can go the other way, and only where values that threads share decide it.
      if (at >= m->second.of) continue;
      const std::uint32_t towards = record_towards(of.tables.records, own, at, (*m->second.path)[at]);
      if (towards != kNoRecord) wrong.emplace_back(towards, name);
    }
    std::sort(wrong.begin(), wrong.end());
    find_last_steps(from);
    for (const auto& [record, name] : wrong) {
      if (!time_left()) break;
      if (auto status = keep_on_path(of, record, ends); !status) return status;
      if (best_.succeeded) break;
    }
    return fails_ ? try_to_fail(of, from) : Status(Done{});
  }

  Status keep_on_path(const Composition& of, std::uint32_t record, const std::map<ThreadId, PathEnd>& ends) {
    const auto trace = ask_for_flip_within(of, record, ends);
    if (!trace || !constraints::may_fail(*trace)) return Done{};
    bool taken = false;
    // The last step of a run that fails comes after those of all other threads.
    const auto last = last_steps_of_.find(of.tables.records[record].thread);
    if (fails_ && last != last_steps_of_.end()) {
      auto status = find_and_take(of, *trace, last->second, taken);
      if (!status || taken) return status;
    }
    auto status = solve_and_take(of, *trace, taken);
    if (!status || taken) return status;
    // In a critical section the others wait outside.
    return find_and_take(of, *trace, {}, taken);
  }

  // All threads are on their paths as far as they go, and the failure did not show. The log says where each
  // was by then: its last step was made, and what decides the next one had not been read.
  Status try_to_fail(const Composition& of, const Reached& from) {
    if (from.wrong != 0) return Done{};
    std::map<ThreadId, PathEnd> ends;
    std::vector<EventId> before;
    for (const auto& [name, own] : decisions_of(*from.run)) {
      const auto m = from.matched.find(name);
      if (m == from.matched.end()) continue;
      const std::size_t at = m->second.of;
      if (at > own.path.size()) return Done{};
      if (at != 0 && own.events[at - 1] != kNoEvent) before.push_back(own.events[at - 1]);
      if (at < own.path.size()) ends[own.thread] = end_before(of, own, at);
    }
    const auto shorter = ending_at(of, ends);
    if (!shorter) return Done{};
    for (const Goal& goal : goals_of(*shorter)) {
      if (!time_left() || best_.succeeded) break;
      if (hangs_ != (goal.kind == GoalKind::kDeadlock)) continue;
      const auto trace = ask_for(*shorter, goal, Others::kWhole);
      if (!trace || !constraints::may_fail(*trace)) continue;
      bool taken = false;
      if (auto status = find_and_take(of, *trace, before, taken); !status) return status;
      if (best_.succeeded) break;
      if (auto status = solve_and_take(of, *trace, taken); !status) return status;
    }
    return Done{};
  }

  // An order that ends with the failure.
  Status find_and_take(const Composition& of, const constraints::SymbolicTrace& trace,
                       std::span<const EventId> before, bool& taken) {
    constexpr std::uint64_t kMostSteps = 300'000;
    ++best_.questions;
    const auto found = constraints::find_failing_early(trace, kMostSteps, before);
    taken = found.answer == constraints::Answer::kSatisfiable;
    return taken ? execute_and_take(of, trace, found) : Status(Done{});
  }

  Status solve_and_take(const Composition& of, const constraints::SymbolicTrace& trace, bool& taken) {
    constraints::SolveOptions how;
    how.most_conflicts = options_.most_conflicts;
    ++best_.questions;
    const auto solved = constraints::solve_failing(trace, how);
    taken = solved.answer == constraints::Answer::kSatisfiable;
    return taken ? execute_and_take(of, trace, solved) : Status(Done{});
  }

  Status execute_and_take(const Composition& of, const constraints::SymbolicTrace& trace,
                          const constraints::SolvedSchedule& solved,
                          const Executions::Afterwards& afterwards = {}) {
    auto executed = executions_.follow(of, trace, solved.execution, afterwards);
    if (!executed) return executed.error();
    ++best_.executions;
    return take(*executed);
  }

  Executions& executions_;
  const LoggedPaths& log_;
  bool fails_;
  std::string failing_;
  bool hangs_;
  bool lacks_bits_;
  ReconstructOptions options_;
  std::function<void(std::size_t, std::size_t)> on_step_;
  double began_ = 0;
  std::size_t all_ = 0;
  std::map<Address, std::uint8_t> initial_;
  std::size_t best_total_ = 0;
  Reconstruction best_;
  std::set<std::pair<LoggedPaths, bool>> seen_;  // and whether they failed
  KnownPaths known_;
  bool begins_anew_ = false;
  std::uint64_t samples_ = 0;         // taken so far
  std::vector<std::string> arrived_;  // in the latest order: threads that came as far as they were to
  std::size_t stuck_at_ = 0;          // with so many lessons, orders of what is known led nowhere
  std::shared_ptr<Reached>
      accepted_;  // fails as it is to, with others short of the end of their paths, or beyond
  std::priority_queue<Open> open_;
  std::map<ThreadId, std::vector<EventId>> last_steps_of_;
};

}  // namespace

Result<Reconstruction> reconstruct(Executions& executions, const LoggedPaths& log, const LoggedEnd& end,
                                   const ReconstructOptions& options,
                                   const std::function<void(std::size_t, std::size_t)>& on_step) {
  return Reconstructor(executions, log, end, options, on_step).run();
}

}  // namespace heddle::search
