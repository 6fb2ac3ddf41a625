// Algorithm 5 on a toy machine: threads with fixed lists of accesses, held to access vectors.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/merge/slow_logs.h"
#include "tool/merge/replay/lessons.h"
#include "tool/merge/replay/replay_search.h"

namespace heddle::merge {
namespace {

struct Access {
  int element = 0;
  int value = -1;  // to write; -1: a read
};

// Fig. 3.3: thread 0 writes pos, then countW, and finds both equal, unless thread 1 resets them in between.
// Two more elements are only counted.
const std::vector<std::vector<Access>> kProgram{
    {{2, 1}, {0, 1}, {1, 1}, {0, -1}, {1, -1}, {3, 1}},
    {{2, 2}, {0, 0}, {1, 0}, {3, 2}},
};
constexpr int kElements = 4;

struct Execution {
  Attempt attempt;
  SlowLog log;  // complete
};

// `vectors`: by element; nothing for elements that are free.
Execution execute(const std::vector<std::optional<SlowVector>>& vectors, Random& random) {
  Execution run;
  run.attempt.followed.resize(kElements);
  for (int e = 0; e < kElements; ++e) run.log[e];
  std::size_t at[2] = {0, 0};
  int memory[kElements] = {};
  int read[2] = {0, 0};
  while (at[0] < kProgram[0].size() || at[1] < kProgram[1].size()) {
    std::vector<int> can_run;
    for (int t = 0; t < 2; ++t) {
      if (at[t] == kProgram[static_cast<std::size_t>(t)].size()) continue;
      const int e = kProgram[static_cast<std::size_t>(t)][at[t]].element;
      const auto& prescribed = vectors[static_cast<std::size_t>(e)];
      const std::uint64_t done = run.attempt.followed[static_cast<std::size_t>(e)];
      if (!prescribed || (done < prescribed->size() && (*prescribed)[done] == t)) can_run.push_back(t);
    }
    if (can_run.empty()) {
      run.attempt.verdict = Verdict::kInfeasible;
      for (int t = 0; t < 2; ++t) {
        if (at[t] < kProgram[static_cast<std::size_t>(t)].size())
          run.attempt.stuck.push_back(
              static_cast<ElementIndex>(kProgram[static_cast<std::size_t>(t)][at[t]].element));
      }
      return run;
    }
    const int t = can_run[random.below(static_cast<std::uint32_t>(can_run.size()))];
    const Access access = kProgram[static_cast<std::size_t>(t)][at[t]++];
    run.log[access.element].push_back(t);
    ++run.attempt.followed[static_cast<std::size_t>(access.element)];
    if (access.value >= 0) {
      memory[access.element] = access.value;
    } else {
      read[access.element] = memory[access.element];
    }
  }
  run.attempt.verdict = read[0] != read[1] ? Verdict::kReproduced : Verdict::kPassed;
  return run;
}

class ToyOracle : public ReplayOracle {
 public:
  explicit ToyOracle(const LogSet& logs) : logs_(logs) {}
  Result<Attempt> replay(const Candidate& candidate, std::uint64_t seed) override {
    std::vector<std::optional<SlowVector>> vectors(kElements);
    for (ElementIndex e = 0; e < candidate.vectors.size(); ++e) {
      if (candidate.vectors[e] == kNone) continue;
      SlowVector vector;
      VectorReader reader(logs_.bytes(candidate.vectors[e]));
      for (Run run; reader.next(run);) vector.insert(vector.end(), run.count, static_cast<int>(run.thread));
      vectors[e] = vector;
    }
    Random random(seed);
    tried_.insert(candidate.vectors);
    ++calls_;
    return execute(vectors, random).attempt;
  }
  std::size_t different() const { return tried_.size(); }
  std::size_t calls() const { return calls_; }

 private:
  const LogSet& logs_;
  std::set<std::vector<VectorIndex>> tried_;
  std::size_t calls_ = 0;
};

LogSet recorded_logs(std::size_t failing, std::size_t share, std::uint64_t seed) {
  LogSet set;
  for (int e = 0; e < kElements; ++e) set.element(static_cast<std::uint64_t>(e));
  Random random(seed);
  const std::vector<std::optional<SlowVector>> free(kElements);
  for (std::size_t i = 0; i < failing;) {
    const Execution run = execute(free, random);
    const bool failed = run.attempt.verdict == Verdict::kReproduced;
    SlowLog part = run.log;
    while (part.size() > share)
      part.erase(std::next(part.begin(), random.below(static_cast<std::uint32_t>(part.size()))));
    add_to(set, part, failed);
    i += failed ? 1 : 0;
  }
  return set;
}

TEST(Search, reproduces_with_each_heuristic) {
  const LogSet set = recorded_logs(40, 2, 11);
  for (const Heuristic heuristic : {Heuristic::kSgm, Heuristic::kDgm, Heuristic::kBoth}) {
    for (const unsigned guided : {0u, 4u}) {
      ToyOracle oracle(set);
      SearchOptions options;
      options.heuristic = heuristic;
      options.guided = guided;
      const auto outcome = search(set, oracle, options);
      ASSERT_TRUE(outcome);
      EXPECT_TRUE(outcome->reproduced);
      EXPECT_EQ(outcome->attempts, oracle.calls());
      EXPECT_LE(outcome->attempts, 500u);
    }
  }
}

TEST(Search, one_element_logs_by_correlation) {
  const LogSet set = recorded_logs(40, 1, 12);
  ToyOracle oracle(set);
  const auto outcome = search(set, oracle, {});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->reproduced);
}

TEST(Search, stops_at_the_limit) {
  LogSet set;
  for (int e = 0; e < kElements; ++e) set.element(static_cast<std::uint64_t>(e));
  // Nothing of this can be: both threads access twice in the program.
  for (int i = 1; i < 9; ++i) add_to(set, {{0, SlowVector(static_cast<std::size_t>(i), 1)}, {1, {1}}});
  for (int i = 1; i < 9; ++i) add_to(set, {{2, SlowVector(static_cast<std::size_t>(i), 1)}, {3, {0}}});
  ToyOracle oracle(set);
  SearchOptions options;
  options.attempts = 5;
  const auto outcome = search(set, oracle, options);
  ASSERT_TRUE(outcome);
  EXPECT_FALSE(outcome->reproduced);
  EXPECT_EQ(oracle.calls(), 5u);
}

TEST(Search, what_was_learned_spares_attempts) {
  // All vectors of element 2 agree at their first entry, which nobody can make: one attempt tells of all.
  LogSet set;
  for (int e = 0; e < kElements; ++e) set.element(static_cast<std::uint64_t>(e));
  for (int i = 1; i < 9; ++i) {
    SlowVector never(static_cast<std::size_t>(i), 7);
    add_to(set, {{0, {0, 1, 0}}, {1, {0, 1, 0}}, {2, never}, {3, {0, 1}}});
  }
  ToyOracle oracle(set);
  SearchOptions options;
  options.guided = 0;
  const auto outcome = search(set, oracle, options);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->attempts, 1u);
  EXPECT_GT(outcome->pruned, 0u);
  options.prune = false;
  ToyOracle again(set);
  EXPECT_GT(search(set, again, options)->attempts, 8u);
}

// A lesson must never take away a candidate that would go another way.
TEST(Search, lessons_are_sound) {
  const LogSet set = recorded_logs(60, 2, 13);
  std::vector<Ranked> bases;
  for (LogIndex log = 0; log < set.logs(); ++log) bases.push_back({log, 0});
  const auto all = all_combinations(set, bases);
  Lessons lessons(set);
  ToyOracle oracle(set);
  while (const auto candidate = all->next()) {
    const auto attempt = oracle.replay(*candidate, 1);
    if (attempt->verdict == Verdict::kReproduced) {
      EXPECT_FALSE(lessons.knows(*candidate));
    } else {
      lessons.learn(*candidate, *attempt);
      EXPECT_TRUE(lessons.knows(*candidate));
    }
  }
}

// Shows the bug when two races go the other way, the second of which is only there when the first does.
class RacingOracle : public ReplayOracle {
 public:
  Result<Attempt> replay(const Candidate& candidate, std::uint64_t seed) override {
    seeds.insert(seed);
    const auto is_turned = [&](std::uint64_t element) {
      return std::ranges::any_of(candidate.turned, [&](const TurnedRace& r) { return r.element == element; });
    };
    Attempt attempt;
    attempt.followed.assign(candidate.vectors.size(), 0);
    for (const std::uint64_t element : {1ul, 2ul, 3ul}) {
      if (!is_turned(element)) attempt.races.push_back({element, {}});
    }
    if (is_turned(2)) attempt.races.insert(attempt.races.begin(), TurnedRace{9, {}});
    if (is_turned(1)) attempt.verdict = Verdict::kInfeasible;
    if (is_turned(2) && is_turned(9)) attempt.verdict = Verdict::kReproduced;
    return attempt;
  }
  std::set<std::uint64_t> seeds;
};

TEST(Search, turns_races_round_few_before_many) {
  const LogSet set = recorded_logs(5, 2, 14);
  RacingOracle oracle;
  SearchOptions options;
  options.feedback = 16;
  const auto outcome = search(set, oracle, options);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->reproduced);
  EXPECT_EQ(outcome->attempts, 4u) << "as it is, 2, 3, and 2 with 9";
  EXPECT_EQ(outcome->broken_off, 1u) << "1, which does not do what the base did";
  EXPECT_EQ(oracle.seeds.size(), 1u) << "all else stays as it was";
}

// Does what its base did only when one race goes the other way, whoever goes first.
class StrayingOracle : public ReplayOracle {
 public:
  Result<Attempt> replay(const Candidate& candidate, std::uint64_t) override {
    executed.emplace_back(candidate.abreast, candidate.turned);
    Attempt attempt;
    attempt.followed.assign(candidate.vectors.size(), 0);
    attempt.races = {{1, {}}, {2, {}}};
    // The second race is found where an execution has come further.
    const bool is_far = !candidate.abreast;
    attempt.as_base = is_far ? 10 : 5;
    const bool does_it = is_far && candidate.turned == std::vector<TurnedRace>{{2, {}}};
    attempt.verdict = !candidate.keeps_base ? Verdict::kPassed
                      : does_it             ? Verdict::kReproduced
                                            : Verdict::kInfeasible;
    return attempt;
  }
  std::vector<std::pair<bool, std::vector<TurnedRace>>> executed;
};

TEST(Search, begins_again_where_an_execution_strays_from_its_base) {
  const LogSet set = recorded_logs(5, 2, 14);
  StrayingOracle oracle;
  SearchOptions options;
  options.feedback = 16;
  const auto outcome = search(set, oracle, options);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->reproduced);
  EXPECT_EQ(outcome->attempts, 1u) << "what is broken off is no attempt";
  EXPECT_EQ(outcome->broken_off, 3u) << "abreast, one ahead, and that with the first race turned round";
  EXPECT_TRUE(outcome->candidate.keeps_base);
  std::set<std::pair<bool, std::vector<TurnedRace>>> different(oracle.executed.begin(),
                                                               oracle.executed.end());
  EXPECT_EQ(different.size(), oracle.executed.size()) << "none is executed twice";
}

}  // namespace
}  // namespace heddle::merge
