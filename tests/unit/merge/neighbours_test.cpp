// Neighbours by index against all pairs.
#include "tool/merge/ranking/neighbours.h"

#include <gtest/gtest.h>

#include "tests/unit/merge/slow_logs.h"
#include "tool/merge/ranking/candidates.h"

namespace heddle::merge {
namespace {

// For each element that the base misses: the highest similarity of a log that has it.
std::map<ElementIndex, double> best_of_all_pairs(const LogSet& set, const NeighbourIndex& index,
                                                 LogIndex base) {
  std::map<ElementIndex, double> best;
  for (LogIndex log = 0; log < set.logs(); ++log) {
    if (log == base) continue;
    const double alike = similarity(set, index.weights(), index.metric(), base, log);
    for (const Recorded& r : set.log(log)) {
      if (set.recorded(base, r.element) != kNone) continue;
      const auto [at, is_new] = best.try_emplace(r.element, alike);
      at->second = std::max(at->second, alike);
    }
  }
  return best;
}

// Shares of fills that are as similar as the best.
double recall_of(const LogSet& set, Metric metric, std::uint64_t seed, LogIndex step = 1) {
  const NeighbourIndex index(set, metric, seed);
  double right = 0, all = 0;
  for (LogIndex base = 0; base < set.logs(); base += step) {
    const auto best = best_of_all_pairs(set, index, base);
    std::set<ElementIndex> filled;
    std::set<LogIndex> used;
    for (const Neighbour& n : index.neighbours(base)) {
      EXPECT_TRUE(used.insert(n.log).second);
      EXPECT_EQ(n.similarity, similarity(set, index.weights(), metric, base, n.log));
      for (const Recorded& r : n.fills) {
        EXPECT_TRUE(filled.insert(r.element).second);
        EXPECT_EQ(r.vector, set.recorded(n.log, r.element));
        right += n.similarity == best.at(r.element) ? 1 : 0;
        all += 1;
      }
    }
    EXPECT_EQ(filled.size(), best.size()) << "every element that somebody has is filled";
  }
  return right / all;
}

TEST(Neighbours, exact_on_random_small_sets) {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    LogSet set;
    const SlowLogs logs = random_logs(random, 20, 6, 3, 8, 5);
    for (const SlowLog& log : logs) add_to(set, log);
    for (const Metric metric : {Metric::kPsim, Metric::kDsim, Metric::kDhs}) {
      EXPECT_EQ(recall_of(set, metric, static_cast<std::uint64_t>(round)), 1);
    }
  }
}

TEST(Neighbours, equal_all_pairs_at_500_logs) {
  Random random(5);
  LogSet set;
  for (const SlowLog& log : random_logs(random, 500, 10, 4, 300, 60)) add_to(set, log);
  EXPECT_EQ(recall_of(set, Metric::kPsim, 1), 1);
  EXPECT_EQ(recall_of(set, Metric::kDsim, 1), 1);
  EXPECT_GE(recall_of(set, Metric::kDhs, 1), 0.95);
}

// Threads too many for vectors to be compared but by estimates first.
TEST(Neighbours, by_estimates_are_mostly_those_of_all_pairs) {
  Random random(6);
  LogSet set;
  for (const SlowLog& log : random_logs(random, 500, 10, 40, 300, 60)) add_to(set, log);
  EXPECT_GE(recall_of(set, Metric::kDhs, 1, 7), 0.95);
}

TEST(Neighbours, by_dhs_are_exact_where_runs_go_a_few_ways) {
  for (const int ways : {1, 3, 20}) {
    Random random(8);
    LogSet set;
    for (const SlowLog& log : logs_of_ways(random, 5000, 8, ways)) add_to(set, log);
    EXPECT_EQ(recall_of(set, Metric::kDhs, 1, 501), 1) << ways;
  }
}

// Vectors that many logs share, so that there is little to tell logs apart by.
TEST(Neighbours, equal_all_pairs_where_many_logs_share_vectors) {
  for (const int kinds : {2, 5, 12}) {
    Random random(7);
    LogSet set;
    for (const SlowLog& log : random_logs(random, 1500, 12, 3, 20, kinds)) add_to(set, log);
    EXPECT_EQ(recall_of(set, Metric::kPsim, 1, 31), 1) << kinds;
    EXPECT_EQ(recall_of(set, Metric::kDsim, 1, 31), 1) << kinds;
  }
}

// Equally similar logs come by chance: each base sees another of them first.
TEST(Neighbours, take_equally_similar_logs_in_a_shuffled_order) {
  LogSet set;
  for (int i = 0; i < 600; ++i)
    add_to(set, {{0, {0, 1}}, {1, SlowVector(static_cast<std::size_t>(i + 1), 1)}});
  for (int i = 0; i < 40; ++i)
    add_to(set, {{0, {0, 1}}, {2, SlowVector(static_cast<std::size_t>(i + 1), 1)}});
  const NeighbourIndex index(set, Metric::kDsim, 1);
  std::set<LogIndex> picked;
  for (LogIndex base = 600; base < 640; ++base) {
    const auto neighbours = index.neighbours(base);
    ASSERT_EQ(neighbours.size(), 1u);
    EXPECT_LT(neighbours[0].log, 600u);
    picked.insert(neighbours[0].log);
  }
  EXPECT_GT(picked.size(), 30u);
}

TEST(Neighbours, are_a_function_of_the_seed) {
  Random random(9);
  LogSet set;
  for (const SlowLog& log : random_logs(random, 60, 8, 3, 10, 3)) add_to(set, log);
  for (const Metric metric : {Metric::kDsim, Metric::kDhs}) {
    const auto ranking = [&](std::uint64_t seed, unsigned jobs) {
      const NeighbourIndex index(set, metric, seed);
      std::vector<std::pair<LogIndex, double>> order;
      for (const Ranked& r : sgm_relevance(set, index, seed, jobs)) order.emplace_back(r.log, r.relevance);
      return order;
    };
    EXPECT_EQ(ranking(1, 1), ranking(1, 2));
    EXPECT_NE(ranking(1, 1), ranking(2, 1));
  }
}

}  // namespace
}  // namespace heddle::merge
