#include "tool/search/reconstruct.h"

#include <algorithm>
#include <queue>
#include <set>

#include "tool/constraints/possible.h"
#include "tool/search/goals.h"

namespace heddle::search {
namespace {

using Clock = std::chrono::steady_clock;

const std::map<std::string, ThreadPath>& paths_of(const TracedRun& run) {
  return run.decisions.empty() ? run.threads : run.decisions;
}

LoggedPaths only_paths(const TracedRun& run) {
  LoggedPaths paths;
  for (const auto& [name, own] : paths_of(run)) paths[name] = own.path;
  return paths;
}

// An execution that leaves the log somewhere.
struct Reached {
  std::shared_ptr<TracedRun> run;
  Executed executed;
  std::map<std::string, Matched> matched;
  std::size_t total = 0;  // steps that match
  std::size_t wrong = 0;  // threads that leave their path
};

class Reconstructor {
 public:
  Reconstructor(Executions& executions, const LoggedPaths& log, bool fails, const ReconstructOptions& options,
                const std::function<void(std::size_t, std::size_t)>& on_step)
      : executions_(executions), log_(log), fails_(fails), options_(options), on_step_(on_step) {}

  Result<Reconstruction> run() {
    began_ = Clock::now();
    for (const auto& [name, path] : log_) all_ += path.size();
    auto first = executions_.follow(std::span<const Departure>{});
    if (!first) return first.error();
    if (auto status = take(*first); !status) return status.error();
    std::uint64_t samples = 0;
    while (!best_.succeeded && time_left()) {
      if (open_.empty()) {
        if (samples == options_.samples) break;
        auto sample = executions_.sample(samples++);
        if (!sample) return sample.error();
        ++best_.executions;
        if (auto status = take(*sample); !status) return status.error();
        continue;
      }
      const auto next = open_.top();
      open_.pop();
      if (auto status = advance(*next.reached); !status) return status.error();
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
    return best_.executions < options_.most_executions &&
           std::chrono::duration<double>(Clock::now() - began_).count() < options_.seconds;
  }

  // Looks at an execution, keeps it where its paths are new, and remembers the best.
  Status take(const Executed& executed) {
    if (executed.is_bug && !fails_ && !best_.met) best_.met = executed;
    auto traced = executions_.trace(executed);
    if (!traced) return traced.error().code == ExitCode::kOwnError ? Status(traced.error()) : Done{};
    if (!seen_.emplace(only_paths(**traced), executed.is_bug).second) return Done{};
    learn_initial(**traced, initial_);
    executions_.learn_static(**traced, initial_);
    auto reached = std::make_shared<Reached>();
    reached->run = std::move(*traced);
    reached->executed = executed;
    bool same = true;
    for (const auto& [name, path] : log_) {
      Matched& m = reached->matched[name];
      m.of = path.size();
      const auto own = paths_of(*reached->run).find(name);
      if (own != paths_of(*reached->run).end()) {
        const Path& ran = own->second.path;
        m.ran = ran.size();
        m.steps = static_cast<std::size_t>(
            std::mismatch(path.begin(), path.end(), ran.begin(), ran.end()).first - path.begin());
      }
      reached->total += m.steps;
      reached->wrong += m.steps < std::min(m.of, m.ran) ? 1 : 0;
      same = same && m.whole();
    }
    for (const auto& [name, own] : paths_of(*reached->run))
      same = same && (own.path.empty() || log_.contains(name));
    const bool ends_so = executed.is_bug == fails_ && (fails_ || executed.passes);
    const bool is_better = best_.matched.empty() || same > best_.same_paths || reached->total > best_total_;
    if (is_better || (same && ends_so)) {
      best_.same_paths = same;
      best_.succeeded = same && ends_so;
      best_.executed = executed;
      best_.matched = reached->matched;
      best_total_ = reached->total;
      if (on_step_) on_step_(best_total_, all_);
    }
    open_.push({std::move(reached)});
    return Done{};
  }

  // Of threads that have one step left to make, where the others have to be by then.
  void find_last_steps(const Reached& from) {
    last_steps_of_.clear();
    for (const auto& [name, own] : paths_of(*from.run)) {
      const auto m = from.matched.find(name);
      if (m == from.matched.end() || m->second.steps + 1 != m->second.of) continue;
      std::vector<EventId>& before = last_steps_of_[own.thread];
      for (const auto& [other, theirs] : paths_of(*from.run)) {
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
    for (const auto& [name, own] : paths_of(*from.run)) {
      const auto m = from.matched.find(name);
      if (m == from.matched.end() || m->second.steps >= own.path.size()) continue;
      const std::size_t at = m->second.steps;
      std::size_t next = at;
      while (next < own.records.size() && own.records[next] == kNoRecord) ++next;
      ends[own.thread] = {next < own.records.size() ? own.records[next] : kNoRecord, own.events[at]};
      // Only the same branch can go the other way, and only where values that threads share decide it.
      if (at >= m->second.of || own.records[at] == kNoRecord) continue;
      if (own.path[at].flipped() == log_.at(name)[at]) wrong.emplace_back(own.records[at], name);
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
    for (const auto& [name, own] : paths_of(*from.run)) {
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
      const auto trace = ask_for(*shorter, goal, Others::kWhole);
      if (!trace || !constraints::may_fail(*trace)) continue;
      bool taken = false;
      if (auto status = find_and_take(of, *trace, before, taken); !status) return status;
      if (best_.succeeded) break;
      if (auto status = solve_and_take(of, *trace, taken); !status) return status;
    }
    return Done{};
  }

  // Without what the step number `at` is decided by, unless it decided the step before as well.
  static PathEnd end_before(const Composition& of, const ThreadPath& own, std::size_t at) {
    std::size_t next = at;
    while (next < own.records.size() && own.records[next] == kNoRecord) ++next;
    PathEnd end{next < own.records.size() ? own.records[next] : kNoRecord, own.events[at]};
    if (end.event == kNoEvent || (at != 0 && own.events[at - 1] == end.event)) return end;
    std::uint32_t before = index_of(end.event);
    while (before > 0 && of.trace.events[before - 1].thread != own.thread) --before;
    end.event = before == 0 ? kNoEvent : EventId{before - 1};
    return end;
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
                          const constraints::SolvedSchedule& solved) {
    auto executed = executions_.follow(of, trace, solved.execution);
    if (!executed) return executed.error();
    ++best_.executions;
    return take(*executed);
  }

  Executions& executions_;
  const LoggedPaths& log_;
  bool fails_;
  ReconstructOptions options_;
  std::function<void(std::size_t, std::size_t)> on_step_;
  Clock::time_point began_;
  std::size_t all_ = 0;
  std::map<Address, std::uint8_t> initial_;
  std::size_t best_total_ = 0;
  Reconstruction best_;
  std::set<std::pair<LoggedPaths, bool>> seen_;  // and whether they failed
  std::priority_queue<Open> open_;
  std::map<ThreadId, std::vector<EventId>> last_steps_of_;
};

}  // namespace

Result<Reconstruction> reconstruct(Executions& executions, const LoggedPaths& log, bool fails,
                                   const ReconstructOptions& options,
                                   const std::function<void(std::size_t, std::size_t)>& on_step) {
  return Reconstructor(executions, log, fails, options, on_step).run();
}

}  // namespace heddle::search
