// Flips that some schedule makes, executed as soon as the solver knows one.
#include <algorithm>
#include <queue>

#include "tool/search/search.h"

namespace heddle::search {
namespace {

// A beginning of a path that some run had already says less than a new one: so many ranks less.
constexpr std::uint32_t kKnownPath = 20;

struct OpenFlip {
  std::uint32_t distance = 0;  // total rank, with the flips that led to its run
  std::size_t run = 0;
  std::uint32_t rank = 0;
  std::size_t branch = 0;
  bool is_late = false;  // some run has the flipped path's beginning

  bool operator<(const OpenFlip& other) const {  // for a queue whose top is the largest
    return std::tie(distance, run, rank) > std::tie(other.distance, other.run, other.rank);
  }
};

}  // namespace

Search::Found Search::flip_for_real(std::size_t run, const Branch& branch, std::uint32_t rank) {
  const Composition of = composition_of(*runs_[run].run, initial_);
  Attempt attempt;
  attempt.base = runs_[run].base;
  attempt.flips = runs_[run].flips;
  attempt.flips.push_back({branch.thread, branch.step, rank, of.tables.records[branch.record].pc});
  for (const auto& [name, own] : of.threads) {
    Path path = own.path;
    if (name == branch.thread) {
      path.resize(branch.step + 1);
      path.back() = path.back().flipped();
    }
    attempt.used.push_back({name, std::move(path), TraceSource::kSteered, 0});
  }
  ++counts_.flips;
  const auto solved = solve([&](Others others) { return ask_for_flip(of, branch.record, others); }, attempt);
  Found found = std::optional<FoundBug>();
  if (solved) {
    ++counts_.tries;
    auto executed = execute(of, *solved, attempt);
    if (!executed) return executed.error();
    if ((*executed)->is_bug) {
      found = report(**executed, of, *solved, attempt, run);
    } else if ((*executed)->passes) {
      ++counts_.synthesised;
      auto kept = keep(**executed, attempt.flips, attempt.base, runs_[run].distance + rank);
      if (!kept && kept.error().code == ExitCode::kOwnError) return kept.error();
    }
  }
  if (on_attempt) on_attempt(attempt);
  return found;
}

bool Search::leads_to_known_path(std::size_t run, const Branch& branch) const {
  Path prefix = runs_[run].run->threads.at(branch.thread).path;
  prefix.resize(branch.step + 1);
  prefix.back() = prefix.back().flipped();
  return !database_.paths(branch.thread, prefix, 1).empty();
}

Search::Found Search::find_pruned() {
  std::priority_queue<OpenFlip> open;
  std::vector<std::vector<Branch>> branches;
  // Runs that came since: their branches can be flipped, too.
  const auto take_new_runs = [&]() -> Found {
    for (std::size_t i = branches.size(); i < runs_.size(); ++i) {
      if (i >= production_) {
        auto found = explore_schedules(i);
        if (!found || *found) return found;
      }
      const Composition of = composition_of(*runs_[i].run, initial_);
      branches.push_back(branches_near(of, assertion_events(of)));
      if (options_.base != 0 && runs_[i].base != options_.base) continue;
      for (std::size_t k = 0; k < branches[i].size(); ++k) {
        const auto rank = static_cast<std::uint32_t>(k + 1);
        open.push({runs_[i].distance + rank, i, rank, k});
      }
    }
    return std::optional<FoundBug>();
  };
  for (;;) {
    auto found = take_new_runs();
    if (!found || *found) return found;
    if (open.empty() || is_over()) return std::optional<FoundBug>();
    OpenFlip next = open.top();
    open.pop();
    // Asked late, since runs that came meanwhile count as well.
    if (!next.is_late && leads_to_known_path(next.run, branches[next.run][next.branch])) {
      next.distance += kKnownPath;
      next.is_late = true;
      open.push(next);
      continue;
    }
    found = flip_for_real(next.run, branches[next.run][next.branch], next.rank);
    if (!found || *found) return found;
  }
}

}  // namespace heddle::search
