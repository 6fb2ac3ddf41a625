// Flips in the order of the thesis, on executions that are put together of threads' traces.
#include <algorithm>

#include "tool/search/flips.h"
#include "tool/search/injection.h"
#include "tool/search/search.h"

namespace heddle::search {
namespace {

Path flipped_prefix(const Path& path, const std::vector<std::uint32_t>& steps) {
  Path prefix(path.begin(), path.begin() + steps.back() + 1);
  for (const std::uint32_t step : steps) prefix[step] = prefix[step].flipped();
  return prefix;
}

// The nearest to an assertion first. What its thread does after it does not lead to it.
std::vector<Branch> branches_before(const Composition& of, const Goal& goal) {
  const EventId event = of.tables.records[goal.record].event;
  std::vector<Branch> branches = branches_near(of, {event == kNoEvent ? 0 : index_of(event)});
  std::erase_if(branches, [&](const Branch& b) { return b.thread == goal.thread && b.record > goal.record; });
  return branches;
}

}  // namespace

// Runs in which the thread has such a path, the shortest paths first.
std::vector<Search::ThreadChoice> Search::known_traces(std::size_t base, const std::string& thread,
                                                       const std::vector<std::uint32_t>& steps) const {
  const Path prefix = flipped_prefix(runs_[base].run->threads.at(thread).path, steps);
  std::vector<ThreadChoice> found;
  for (const Path& path : database_.paths(thread, prefix, options_.traces)) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const auto own = runs_[i].run->threads.find(thread);
      if (own == runs_[i].run->threads.end() || own->second.path != path) continue;
      const bool observed = i < production_;
      found.push_back(
          {runs_[i].run, {thread, path, observed ? TraceSource::kDatabase : TraceSource::kSteered, i + 1}});
      break;
    }
  }
  for (const ThreadChoice& injected : injected_) {
    const Path& path = injected.used.path;
    const bool fits = injected.used.thread == thread && path.size() >= prefix.size() &&
                      std::equal(prefix.begin(), prefix.end(), path.begin());
    if (fits) found.push_back(injected);
  }
  std::stable_sort(found.begin(), found.end(), [](const ThreadChoice& a, const ThreadChoice& b) {
    return a.used.path.size() < b.used.path.size();
  });
  if (found.size() > options_.traces) found.resize(options_.traces);
  return found;
}

// Down the path in a real execution where there is a schedule for it, else with injected values.
Status Search::synthesise(std::size_t base, const std::string& thread,
                          const std::vector<std::uint32_t>& steps) {
  const Path prefix = flipped_prefix(runs_[base].run->threads.at(thread).path, steps);
  if (!synthesised_.emplace(thread, prefix).second) return Done{};
  std::size_t at = base;
  for (const std::uint32_t step : steps) {
    const auto own = runs_[at].run->threads.find(thread);
    if (own == runs_[at].run->threads.end() || own->second.path.size() <= step) break;
    if (own->second.path[step] == prefix[step]) continue;
    const Composition of = composition_of(*runs_[at].run, initial_);
    Attempt attempt;
    attempt.base = base + 1;
    attempt.flips.push_back({thread, step, 0, of.tables.records[own->second.records[step]].pc});
    const std::uint32_t record = own->second.records[step];
    const auto solved = solve([&](Others others) { return ask_for_flip(of, record, others); }, attempt);
    if (!solved) break;
    auto executed = execute(of, *solved, attempt);
    if (!executed) return executed.error();
    if ((*executed)->is_bug) {
      auto bug = report(**executed, of, *solved, attempt, base);
      if (!bug) return bug.error();
      met_ = std::move(*bug);
      return Done{};
    }
    if (!(*executed)->passes) break;
    auto kept = keep(**executed, attempt.flips, base + 1, 0);
    if (!kept) return kept.error();
    if (!*kept) break;
    at = runs_.size() - 1;
  }
  if (auto status = refresh(); !status) return status.error();
  if (!known_traces(base, thread, steps).empty()) {
    ++counts_.synthesised;
    return Done{};
  }
  SeenValues values;
  for (const Run& run : runs_) values.learn(*run.run);
  // One way to the assertion or to the thread's end is enough.
  InjectionLimits limits;
  limits.traces = 1;
  auto injected = inject_path(executions_, *runs_[base].run, thread, prefix, values, limits);
  if (!injected) return injected.error().code == ExitCode::kOwnError ? Status(injected.error()) : Done{};
  for (const auto& run : *injected) {
    injected_.push_back({run, {thread, run->threads.at(thread).path, TraceSource::kInjected, 0}});
    ++counts_.synthesised;
  }
  return Done{};
}

Result<std::vector<Search::ThreadChoice>> Search::traces_for(std::size_t base, const std::string& thread,
                                                             const std::vector<std::uint32_t>& steps) {
  std::vector<ThreadChoice> known = known_traces(base, thread, steps);
  if (!known.empty()) return known;
  if (auto status = synthesise(base, thread, steps); !status) return status.error();
  return known_traces(base, thread, steps);
}

Search::Found Search::flip_around(std::size_t base, const Goal& goal) {
  const Composition of = composition_of(*runs_[base].run, initial_);
  const std::vector<Branch> branches = branches_before(of, goal);
  FlipOrder order(static_cast<std::uint32_t>(branches.size()), options_.depth, options_.most_together);
  std::set<std::map<std::string, Path>> looked_at;
  for (Flips flips = order.next(); !flips.empty() && !is_over(); flips = order.next()) {
    ++counts_.flips;
    Attempt attempt;
    attempt.base = base + 1;
    std::map<std::string, std::vector<std::uint32_t>> by_thread;
    for (const std::uint32_t rank : flips) {
      const Branch& b = branches[rank];
      attempt.flips.push_back({b.thread, b.step, rank + 1, of.tables.records[b.record].pc});
      by_thread[b.thread].push_back(b.step);
    }
    std::vector<std::vector<ThreadChoice>> choices;
    for (auto& [thread, steps] : by_thread) {
      std::sort(steps.begin(), steps.end());
      auto traces = traces_for(base, thread, steps);
      if (!traces) return traces.error();
      if (met_) {
        // It showed as soon as these branches went the other way.
        ++counts_.tries;
        met_->attempt.flips = attempt.flips;
        if (on_attempt) on_attempt(met_->attempt);
        return std::move(met_);
      }
      choices.push_back(std::move(*traces));
    }
    // Every combination of the threads' traces, the first of each first.
    std::vector<std::size_t> pick(choices.size(), 0);
    const bool possible =
        std::none_of(choices.begin(), choices.end(), [](const auto& traces) { return traces.empty(); });
    if (!possible) {
      attempt.answer = constraints::Answer::kUnsatisfiable;
      if (on_attempt) on_attempt(attempt);
      continue;
    }
    for (std::size_t tried = 0; tried < options_.traces && !is_over();) {
      std::vector<Replacement> replacements;
      attempt.used.clear();
      for (std::size_t i = 0; i < choices.size(); ++i) {
        const ThreadChoice& choice = choices[i][pick[i]];
        replacements.push_back({choice.used.thread, choice.run.get()});
        attempt.used.push_back(choice.used);
      }
      const Composition composed = compose(*runs_[base].run, replacements, initial_);
      std::map<std::string, Path> paths;
      for (const auto& [name, own] : composed.threads) {
        paths[name] = own.path;
        if (!by_thread.contains(name)) attempt.used.push_back({name, own.path, TraceSource::kBase, base + 1});
      }
      const auto there = find_goal(composed, goal);
      if (there && looked_at.insert(paths).second) {
        ++tried;
        ++counts_.tries;
        auto found = try_goal(composed, *there, attempt, base);
        if (!found || *found) return found;
      } else if (!there) {
        // These paths do not come to the assertion.
        ++tried;
        attempt.answer = constraints::Answer::kUnsatisfiable;
        if (on_attempt) on_attempt(attempt);
      }
      std::size_t at = 0;
      while (at < pick.size() && ++pick[at] >= choices[at].size()) pick[at++] = 0;
      if (at == pick.size()) break;
    }
  }
  return std::optional<FoundBug>();
}

// Assertions of a run, the last one first: before it most has happened that could go otherwise. (Which one
// comes first is up to us.)
std::vector<Goal> Search::assertions_of(std::size_t base) const {
  const TracedRun& run = *runs_[base].run;
  std::vector<Goal> goals = goals_of(composition_of(run, initial_));
  std::erase_if(goals, [](const Goal& goal) { return goal.kind != GoalKind::kAssertion; });
  const auto tested_at = [&](const Goal& goal) { return index_of(run.tables.records[goal.record].event); };
  std::stable_sort(goals.begin(), goals.end(),
                   [&](const Goal& a, const Goal& b) { return tested_at(a) > tested_at(b); });
  return goals;
}

// Of the branches near a run's last assertion, how many could go the other way on its paths.
std::size_t Search::possible_flips(std::size_t base) {
  const std::vector<Goal> goals = assertions_of(base);
  if (goals.empty()) return 0;
  const Composition of = composition_of(*runs_[base].run, initial_);
  const std::vector<Branch> branches = branches_before(of, goals.front());
  std::size_t possible = 0;
  for (std::size_t i = 0; i < branches.size() && i < options_.depth && !is_over(); ++i) {
    Attempt attempt;
    const std::uint32_t record = branches[i].record;
    if (solve([&](Others others) { return ask_for_flip(of, record, others); }, attempt)) ++possible;
  }
  return possible;
}

Search::Found Search::find_thesis() {
  if (auto status = refresh(); !status) return status.error();
  std::vector<std::size_t> bases;
  for (std::size_t base = 0; base < production_; ++base) {
    if (options_.base == 0 || base + 1 == options_.base) bases.push_back(base);
  }
  // The thesis begins with any run. Where most can go otherwise, most is to be found.
  constexpr std::size_t kMostCompared = 8;
  if (bases.size() > 1 && bases.size() <= kMostCompared) {
    std::map<std::size_t, std::size_t> possible;
    for (const std::size_t base : bases) possible[base] = possible_flips(base);
    std::stable_sort(bases.begin(), bases.end(),
                     [&](std::size_t a, std::size_t b) { return possible[a] > possible[b]; });
  }
  for (const std::size_t base : bases) {
    if (is_over()) break;
    if (auto status = refresh(); !status) return status.error();
    for (const Goal& goal : assertions_of(base)) {
      auto found = flip_around(base, goal);
      if (!found || *found) return found;
    }
  }
  return std::optional<FoundBug>();
}

}  // namespace heddle::search
