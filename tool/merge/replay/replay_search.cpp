#include "tool/merge/replay/replay_search.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <set>
#include <tuple>

#include "core/base/random.h"
#include "tool/merge/replay/lessons.h"
#include "tool/run/time_limit.h"

namespace heddle::merge {
namespace {

using Clock = std::chrono::steady_clock;

Candidate with_turned(const Candidate& candidate, const TurnedRace& race) {
  Candidate with = candidate;
  // An order of the same element has come of that one, and says what it says.
  std::erase_if(with.turned, [&](const TurnedRace& r) { return r.element == race.element; });
  with.turned.push_back(race);
  return with;
}

class Search {
 public:
  Search(const LogSet& logs, ReplayOracle& oracle, const SearchOptions& options, const OnAttempt& on_attempt)
      : logs_(logs), oracle_(oracle), options_(options), on_attempt_(on_attempt), lessons_(logs) {}

  Result<SearchOutcome> run();

 private:
  void rank();
  std::optional<Candidate> next();
  Status try_candidate(const Candidate& candidate);
  struct Tried {
    Candidate candidate;
    Attempt last;
    unsigned left = 0;  // executions, when no races wait any more
    std::uint64_t seed = 0;
    std::deque<Candidate> races;  // to be executed, with one more turned round
    unsigned feedback = 0;        // executions of those
    bool has_races() const { return feedback != 0 && !races.empty(); }
    bool is_over() const { return left == 0 && !has_races(); }
  };
  Status try_in_blocks(const Candidate& candidate, std::uint64_t seed);
  std::vector<Candidate> ways_through_blocks(const Candidate& candidate) const;
  void wait_for_races(Tried& tried, const Candidate& executed, const Attempt& attempt) const;
  Status turn_race_round(Tried& tried);
  Status take_apart(Tried& tried);
  Status go_on_with_tried();
  Result<Attempt> execute(const Candidate& candidate, std::optional<std::uint64_t> own_seed = {});
  void note(const Candidate& candidate, std::uint64_t seed, const Attempt& attempt);
  bool leaves_something_open(const Candidate& candidate) const;
  bool is_over() const {
    return outcome_.reproduced || outcome_.attempts >= options_.attempts || run::time_is_up();
  }

  const LogSet& logs_;
  ReplayOracle& oracle_;
  const SearchOptions& options_;
  const OnAttempt& on_attempt_;
  Lessons lessons_;
  std::optional<NeighbourIndex> index_;
  std::vector<std::unique_ptr<Candidates>> sources_;
  std::unique_ptr<Candidates> last_resort_;
  std::size_t turn_ = 0;
  std::deque<Tried> tried_;
  SearchOutcome outcome_;
};

// Line 2 of Algorithm 5.
void Search::rank() {
  const auto began = Clock::now();
  std::vector<Ranked> bases;
  if (has_single_elements_only(logs_)) {
    sources_.push_back(by_correlation(logs_));
  } else {
    index_.emplace(logs_, options_.metric, options_.seed);
    if (options_.heuristic == Heuristic::kBoth) {
      if (auto by_entries = entries_relevance(logs_, options_.seed); !by_entries.empty())
        sources_.push_back(by_relevance(logs_, *index_, std::move(by_entries)));
    }
    if (options_.heuristic != Heuristic::kSgm) {
      bases = dgm_relevance(logs_, options_.seed);
      sources_.push_back(by_relevance(logs_, *index_, bases));
    }
    if (options_.heuristic != Heuristic::kDgm) {
      bases = sgm_relevance(logs_, *index_, options_.seed, options_.jobs);
      sources_.push_back(by_relevance(logs_, *index_, bases));
    }
  }
  if (options_.brute_force) last_resort_ = all_combinations(logs_, std::move(bases));
  outcome_.relevance_seconds = std::chrono::duration<double>(Clock::now() - began).count();
}

std::optional<Candidate> Search::next() {
  while (!sources_.empty()) {
    turn_ %= sources_.size();
    if (auto candidate = sources_[turn_]->next()) {
      ++turn_;
      return candidate;
    }
    sources_.erase(sources_.begin() + static_cast<std::ptrdiff_t>(turn_));
  }
  if (!last_resort_) return std::nullopt;
  outcome_.by_brute_force = true;
  return last_resort_->next();
}

bool Search::leaves_something_open(const Candidate& candidate) const {
  return options_.feedback != 0 || logs_.universe() > logs_.elements() ||
         std::ranges::count(candidate.vectors, kNone) != 0;
}

Result<Attempt> Search::execute(const Candidate& candidate, std::optional<std::uint64_t> own_seed) {
  const std::uint64_t seed = own_seed.value_or(mix(options_.seed, outcome_.attempts));
  auto attempt = oracle_.replay(candidate, seed);
  if (attempt) note(candidate, seed, *attempt);
  return attempt;
}

void Search::note(const Candidate& candidate, std::uint64_t seed, const Attempt& attempt) {
  ++outcome_.attempts;
  if (on_attempt_) on_attempt_(outcome_.attempts, candidate, attempt);
  if (attempt.verdict == Verdict::kReproduced) {
    outcome_.reproduced = true;
    outcome_.candidate = candidate;
    outcome_.seed = seed;
  } else {
    ++(attempt.verdict == Verdict::kInfeasible ? outcome_.infeasible : outcome_.passed);
  }
}

Status Search::try_candidate(const Candidate& candidate) {
  if (options_.prune && lessons_.knows(candidate)) {
    ++outcome_.pruned;
    return Done{};
  }
  ++outcome_.candidates;
  const std::uint64_t seed = mix(options_.seed, outcome_.attempts);
  if (candidate.abreast) return try_in_blocks(candidate, seed);
  const auto attempt = execute(candidate, seed);
  if (!attempt) return attempt.error();
  if (outcome_.reproduced) return Done{};
  if (options_.prune) lessons_.learn(candidate, *attempt);
  Tried tried = {candidate, *attempt, options_.guided, seed, {}};
  if (options_.feedback != 0 && attempt->verdict == Verdict::kPassed) {
    // As in the thesis: a completed log is given PRES's replay before the next one is tried.
    tried.feedback = options_.feedback;
    wait_for_races(tried, candidate, *attempt);
    while (tried.has_races() && !is_over()) {
      if (Status turned = turn_race_round(tried); !turned) return turned;
    }
  }
  if (!tried.is_over()) tried_.push_back(std::move(tried));
  return Done{};
}

// What happens in blocks is open. Where the base tells in which order its blocks were entered, that is
// followed. Else threads that ran side by side came to the end of what was recorded together; but one may
// have been far ahead for a while, as threads of fixed priorities are, whoever the vectors wait for first.
std::vector<Candidate> Search::ways_through_blocks(const Candidate& candidate) const {
  using Entries = Candidate::Entries;
  std::vector<Candidate> ways;
  const auto begin = [&](Entries entries, bool abreast) {
    Candidate& way = ways.emplace_back(candidate);
    way.entries = entries;
    way.abreast = abreast;
    way.keeps_base = true;
    way.in_turn = entries == Entries::kLeft && !abreast;
  };
  if (candidate.base != kNone && !logs_.entry_order(candidate.base).empty()) {
    begin(Entries::kLate, false);
    begin(Entries::kEarly, false);
  }
  begin(Entries::kLeft, true);
  begin(Entries::kLeft, false);
  return ways;
}

// An execution that cannot do any more what the base did is broken off: it is none of the base's. It is begun
// again in another way, and then with a race turned round that led a thread astray. Where nothing helps, the
// next candidate's turn comes before the base's vectors give way.
Status Search::try_in_blocks(const Candidate& candidate, std::uint64_t seed) {
  constexpr unsigned kMostBrokenOff = 16;
  constexpr std::size_t kTurnedOfEach = 4;
  struct Way {
    Candidate candidate;
    std::uint64_t as_base = 0;  // how far that came of which it is a change
  };
  std::deque<Way> waiting;
  for (Candidate& way : ways_through_blocks(candidate))
    waiting.push_back({std::move(way), ~std::uint64_t{0}});
  std::set<std::tuple<Candidate::Entries, bool, std::vector<TurnedRace>>> begun;
  for (unsigned i = 0; i < kMostBrokenOff && !waiting.empty(); ++i) {
    const auto furthest = std::ranges::max_element(waiting, {}, &Way::as_base);
    const Candidate next = std::move(furthest->candidate);
    waiting.erase(furthest);
    auto attempt = oracle_.replay(next, seed);
    if (!attempt) return attempt.error();
    if (attempt->verdict != Verdict::kInfeasible) {
      note(next, seed, *attempt);
      if (outcome_.reproduced) return Done{};
      if (options_.prune) lessons_.learn(candidate, *attempt);
      Tried tried = {candidate, *attempt, options_.guided, seed, {}, options_.feedback};
      wait_for_races(tried, next, *attempt);
      while (candidate.base == kNone && tried.has_races() && !is_over()) {
        if (Status turned = turn_race_round(tried); !turned) return turned;
      }
      tried_.push_back(std::move(tried));
      return Done{};
    }
    ++outcome_.broken_off;
    std::size_t added = 0;
    for (const TurnedRace& race : attempt->races) {
      Candidate other = with_turned(next, race);
      if (!begun.emplace(other.entries, other.abreast, other.turned).second) continue;
      waiting.push_back({std::move(other), attempt->as_base});
      if (++added == kTurnedOfEach) break;
    }
  }
  Tried tried = {candidate, {}, options_.guided, seed, {}};
  if (candidate.base == kNone) {  // put together from many logs: other candidates are no better
    auto attempt = execute(candidate, seed);
    if (!attempt) return attempt.error();
    tried.last = std::move(*attempt);
  }
  tried_.push_back(std::move(tried));
  return Done{};
}

// PRES (SOSP 2009, §4): an execution that does what the sketch says and does not fail has a race the wrong
// way round. Those of the first execution are turned round one by one, then those of executions that came of
// it, so that few changes come before many.
void Search::wait_for_races(Tried& tried, const Candidate& executed, const Attempt& attempt) const {
  for (const TurnedRace& race : attempt.races) {
    if (tried.races.size() < tried.feedback) tried.races.push_back(with_turned(executed, race));
  }
}

Status Search::turn_race_round(Tried& tried) {
  const Candidate next = std::move(tried.races.front());
  tried.races.pop_front();
  --tried.feedback;
  // The seed stays, so whatever else is different follows from the race.
  const auto attempt = oracle_.replay(next, tried.seed);
  if (!attempt) return attempt.error();
  if (next.keeps_base && attempt->verdict == Verdict::kInfeasible) {
    ++outcome_.broken_off;
  } else {
    note(next, tried.seed, *attempt);
  }
  if (attempt->verdict == Verdict::kPassed) wait_for_races(tried, next, *attempt);
  return Done{};
}

// One more execution of a candidate that was tried: vectors of other logs that did not fit are dropped, and
// chance decides anew what nobody prescribes.
Status Search::take_apart(Tried& tried) {
  Candidate& candidate = tried.candidate;
  candidate.to_chance = true;
  candidate.in_turn = !candidate.in_turn;
  if (tried.last.verdict == Verdict::kInfeasible || !tried.last.stuck.empty()) {
    std::vector<ElementIndex> dropped;
    for (const ElementIndex e : tried.last.stuck) {
      if (is_borrowed(logs_, candidate, e)) dropped.push_back(e);
    }
    if (dropped.empty()) {
      for (ElementIndex e = 0; e < candidate.vectors.size(); ++e) {
        if (is_borrowed(logs_, candidate, e)) dropped.push_back(e);
      }
    }
    for (const ElementIndex e : dropped) candidate.vectors[e] = kNone;
  }
  if (!leaves_something_open(candidate)) {  // it would go the same way
    tried.left = 0;
    return Done{};
  }
  auto attempt = execute(candidate);
  if (!attempt) return attempt.error();
  tried.last = std::move(*attempt);
  --tried.left;
  return Done{};
}

// Takes the first candidates apart in turns, one execution for each new candidate: what is wrong with a
// candidate may be its base.
Status Search::go_on_with_tried() {
  while (!tried_.empty() && tried_.front().is_over()) tried_.pop_front();
  if (tried_.empty()) return Done{};
  Tried tried = std::move(tried_.front());
  tried_.pop_front();
  if (auto done = tried.has_races() ? turn_race_round(tried) : take_apart(tried); !done) return done;
  tried_.push_back(std::move(tried));
  return Done{};
}

Result<SearchOutcome> Search::run() {
  if (logs_.logs() == 0) return Error{"There is no failing log: nothing to reproduce.", ExitCode::kBadInput};
  rank();
  // Combinations may be without number, and all of them known.
  constexpr std::uint64_t kMostPrunedPerAttempt = 200;
  constexpr std::uint64_t kNewBeforeOld = 3;   // executions: the best by each heuristic, and another one
  constexpr std::uint64_t kMostBeforeOld = 8;  // candidates, should executions be broken off
  while (!is_over() && outcome_.pruned <= kMostPrunedPerAttempt * options_.attempts) {
    auto candidate = next();
    if (!candidate && tried_.empty()) break;
    if (candidate) {
      candidate->gives_way = options_.guided != 0;
      candidate->in_turn = candidate->gives_way && options_.feedback == 0;
      candidate->abreast = candidate->gives_way && options_.feedback != 0;
      if (const Status tried = try_candidate(*candidate); !tried) return tried.error();
    }
    const bool is_time =
        !candidate || outcome_.attempts >= kNewBeforeOld || outcome_.candidates >= kMostBeforeOld;
    if (const Status tried = is_time && !is_over() ? go_on_with_tried() : Status(Done{}); !tried)
      return tried.error();
  }
  outcome_.guided = outcome_.reproduced && leaves_something_open(outcome_.candidate);
  return std::move(outcome_);
}

}  // namespace

Result<SearchOutcome> search(const LogSet& logs, ReplayOracle& oracle, const SearchOptions& options,
                             const OnAttempt& on_attempt) {
  return Search(logs, oracle, options, on_attempt).run();
}

}  // namespace heddle::merge
