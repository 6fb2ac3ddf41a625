// The thesis' example and its definitions.
#include <gtest/gtest.h>

#include "tests/unit/merge/slow_logs.h"
#include "tool/merge/ranking/candidates.h"

namespace heddle::merge {
namespace {

enum Element { kThreads, kPos, kCountW, kCountR };

// §3.3.3: six logs of two elements each, of the program of Fig. 3.3. Fig. 3.5 is a picture; the logs follow
// from the text: A and D share countW_1 only, A and E threads_1; D fills A's pos with pos_1 and E its countR
// with countR_1; B, C and D have the most disperse elements; B is like no other.
SlowLogs example() {
  const auto vector = [](int n) { return SlowVector(static_cast<std::size_t>(n), 1); };
  return {
      {{kThreads, vector(1)}, {kCountW, vector(1)}},  // A
      {{kPos, vector(2)}, {kCountW, vector(2)}},      // B
      {{kPos, vector(3)}, {kCountR, vector(2)}},      // C
      {{kPos, vector(1)}, {kCountW, vector(1)}},      // D
      {{kThreads, vector(1)}, {kCountR, vector(1)}},  // E
      {{kThreads, vector(1)}, {kCountR, vector(1)}},  // F
  };
}

LogSet example_set() {
  LogSet set;
  for (const int e : {kThreads, kPos, kCountW, kCountR}) set.element(static_cast<std::uint64_t>(e));
  for (const SlowLog& log : example()) add_to(set, log);
  return set;
}

// #AV*_s / #AV* (3.2): different vectors of the element, of all different vectors; of failing logs.
double overall_dispersion(const LogSet& logs, ElementIndex element) {
  const Weights weights = weights_of(logs, Metric::kDsim);
  if (weights.total == 0) return 0;
  return static_cast<double>(weights.of_element[element]) / static_cast<double>(weights.total);
}

TEST(Example, dispersion) {
  const LogSet set = example_set();
  EXPECT_EQ(overall_dispersion(set, kThreads), 1.0 / 8);
  EXPECT_EQ(overall_dispersion(set, kPos), 3.0 / 8);
  EXPECT_EQ(overall_dispersion(set, kCountW), 2.0 / 8);
  EXPECT_EQ(overall_dispersion(set, kCountR), 2.0 / 8);
}

TEST(Example, similarity_guided_merge) {
  const LogSet set = example_set();
  const NeighbourIndex index(set, Metric::kDsim, 1);
  EXPECT_EQ(similarity(set, index.weights(), Metric::kDsim, 0, 3), 2.0 / 8);
  const auto ranking = sgm_relevance(set, index, 1, 1);
  EXPECT_EQ(ranking[0].log, 0u);
  EXPECT_EQ(ranking[0].relevance, 3.0 / 16);
  const Candidate candidate = complete(set, index, ranking[0]);
  EXPECT_EQ(candidate.vectors[kPos], set.recorded(3, kPos));
  EXPECT_EQ(candidate.vectors[kCountR], set.recorded(4, kCountR));
  EXPECT_EQ(candidate.vectors[kThreads], set.recorded(0, kThreads));
  EXPECT_EQ(candidate.vectors[kCountW], set.recorded(0, kCountW));
}

TEST(Example, dispersion_guided_merge) {
  const LogSet set = example_set();
  const NeighbourIndex index(set, Metric::kDsim, 1);
  const auto ranking = dgm_relevance(set, 1);
  std::set<LogIndex> most;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ranking[static_cast<std::size_t>(i)].relevance, 5.0 / 8);
    most.insert(ranking[static_cast<std::size_t>(i)].log);
  }
  EXPECT_EQ(most, (std::set<LogIndex>{1, 2, 3}));
  for (const Neighbour& n : index.neighbours(1)) EXPECT_EQ(n.similarity, 0) << "B is like no other";
  const Candidate candidate = complete(set, index, {1, 5.0 / 8});
  EXPECT_EQ(candidate.vectors[kThreads], set.recorded(0, kThreads));
  EXPECT_NE(candidate.vectors[kCountR], kNone);
}

TEST(Definitions, equal_logs_are_one_with_a_count) {
  const LogSet set = example_set();
  EXPECT_EQ(set.logs(), 5u) << "E and F are equal";
  EXPECT_EQ(set.failing_logs(), 6u);
  EXPECT_EQ(set.count(4), 2u);
  EXPECT_EQ(individual_dispersion(set, kThreads), 1.0 / 3);
}

TEST(Definitions, agree_with_slow_ones_on_random_logs) {
  Random random(7);
  for (int round = 0; round < 40; ++round) {
    const SlowLogs logs = random_logs(random, 12, 5, 3, 6, 4);
    const SlowMetrics slow(logs);
    LogSet set;
    for (const SlowLog& log : logs) add_to(set, log);
    ASSERT_EQ(set.logs(), logs.size());
    for (ElementIndex e = 0; e < set.elements(); ++e) {
      const int element = static_cast<int>(set.id(e));
      EXPECT_DOUBLE_EQ(overall_dispersion(set, e), slow.overall_dispersion(element));
      EXPECT_DOUBLE_EQ(individual_dispersion(set, e), slow.individual_dispersion(element));
    }
    for (LogIndex a = 0; a < set.logs(); ++a) {
      for (LogIndex b = 0; b < set.logs(); ++b) {
        const auto ours = [&](Metric m) { return similarity(set, weights_of(set, m), m, a, b); };
        EXPECT_NEAR(ours(Metric::kPsim), slow.psim(logs[a], logs[b]), 1e-12);
        EXPECT_NEAR(ours(Metric::kDsim), slow.dsim(logs[a], logs[b]), 1e-12);
        EXPECT_NEAR(ours(Metric::kDhs), slow.dhs(logs[a], logs[b]), 1e-12);
      }
    }
  }
}

// 3.7-3.9 by hand: v in 3 of 4 failing logs and 1 passing one.
TEST(Correlation, is_the_harmonic_mean) {
  LogSet set;
  for (int i = 0; i < 3; ++i) add_to(set, {{1, {0, 1}}});
  add_to(set, {{1, {1, 0}}});
  add_to(set, {{1, {0, 1}}}, false);
  EXPECT_DOUBLE_EQ(bug_correlation(set, set.recorded(0, 0)), 2 / (1 / 0.75 + 1 / 0.75));
  EXPECT_TRUE(has_single_elements_only(set));
}

TEST(Correlation, tries_all_that_correlate_best) {
  LogSet set;
  for (const SlowVector& v : {SlowVector{0}, SlowVector{1}}) add_to(set, {{1, v}});
  for (const SlowVector& v : {SlowVector{0}, SlowVector{1}, SlowVector{0, 1}}) add_to(set, {{2, v}});
  add_to(set, {{2, {0, 1}}}, false);
  const auto candidates = by_correlation(set);
  std::set<std::vector<VectorIndex>> tried;
  while (const auto candidate = candidates->next()) tried.insert(candidate->vectors);
  EXPECT_EQ(tried.size(), 4u);
  const auto all = all_combinations(set, {});
  tried.clear();
  while (const auto candidate = all->next()) tried.insert(candidate->vectors);
  EXPECT_EQ(tried.size(), 6u);
}

TEST(BruteForce, keeps_the_base_and_tries_everything_else) {
  const LogSet set = example_set();
  const auto all = all_combinations(set, {{0, 0}});
  std::set<std::vector<VectorIndex>> tried;
  while (const auto candidate = all->next()) {
    EXPECT_EQ(candidate->vectors[kCountW], set.recorded(0, kCountW));
    tried.insert(candidate->vectors);
  }
  EXPECT_EQ(tried.size(), 3u * 2u) << "pos has three vectors, countR two";
}

}  // namespace
}  // namespace heddle::merge
