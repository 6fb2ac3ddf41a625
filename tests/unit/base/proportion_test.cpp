#include "tool/base/proportion.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle {
namespace {

TEST(Proportion, NoneOfManyHasTheExactBoundOfOneSide) {
  for (const std::uint64_t n : {1u, 2u, 10u, 1000u, 40'000u, 10'000'000u}) {
    const Proportion none{0, n};
    EXPECT_EQ(none.low(), 0);
    // With this rate none of n would come one time in twenty.
    EXPECT_NEAR(std::pow(1 - none.high(), static_cast<double>(n)), 0.05, 1e-6) << n;
    EXPECT_NEAR(none_of(n, none.high()), 0.05, 1e-6) << n;
  }
  EXPECT_NEAR((Proportion{0, 40'000}.high()), 7.489e-5, 1e-8);
  EXPECT_NEAR((Proportion{0, 1'000'000}.high()), 3 / 1e6, 5e-9) << "the rule of three";
}

TEST(Proportion, NothingIsKnownOfNoExecution) {
  EXPECT_EQ((Proportion{0, 0}.low()), 0);
  EXPECT_EQ((Proportion{0, 0}.high()), 1);
  EXPECT_EQ(none_of(0, 0.5), 1);
  EXPECT_EQ(none_of(10, 1), 0);
}

// From the tables of Clopper and Pearson as R's binom.test() has them.
TEST(Proportion, SomeOfManyHaveTheIntervalOfClopperAndPearson) {
  struct Row {
    std::uint64_t hits, executions;
    double low, high;
  };
  for (const Row& row : {Row{1, 10, 0.002528579, 0.4450161}, Row{5, 10, 0.1870860, 0.8129140},
                         Row{10, 10, 0.6915029, 1}, Row{7, 100, 0.02860532, 0.1389200}}) {
    const Proportion some{row.hits, row.executions};
    EXPECT_NEAR(some.low(), row.low, 1e-6) << row.hits;
    EXPECT_NEAR(some.high(), row.high, 1e-6) << row.hits;
  }
}

// The definition: with the bound as rate, so many or more (fewer) come one time in forty.
TEST(Proportion, TheBoundsOfLargeNumbersAreThoseOfTheDefinition) {
  const auto probability_of_at_most = [](std::uint64_t k, std::uint64_t n, double p) {
    double sum = 0;
    for (std::uint64_t i = 0; i <= k; ++i) {
      const auto x = static_cast<double>(i), all = static_cast<double>(n);
      sum += std::exp(std::lgamma(all + 1) - std::lgamma(x + 1) - std::lgamma(all - x + 1) + x * std::log(p) +
                      (all - x) * std::log1p(-p));
    }
    return sum;
  };
  for (const auto& [k, n] :
       {std::pair{1ull, 100'000ull}, {62ull, 2000ull}, {1999ull, 2000ull}, {300ull, 1'000'000ull}}) {
    const Proportion some{k, n};
    EXPECT_LT(some.low(), some.rate());
    EXPECT_GT(some.high(), some.rate());
    EXPECT_NEAR(probability_of_at_most(k, n, some.high()), 0.025, 1e-4) << k;
    EXPECT_NEAR(1 - probability_of_at_most(k - 1, n, some.low()), 0.025, 1e-4) << k;
  }
}

// Every outcome of n executions with this rate, weighed by its probability.
TEST(Proportion, TheIntervalHoldsAsOftenAsItSays) {
  for (const std::uint64_t n : {20u, 200u, 1000u}) {
    for (const double p : {0.0005, 0.003, 0.01, 0.05, 0.3}) {
      double holds = 0, term = std::pow(1 - p, static_cast<double>(n));
      for (std::uint64_t k = 0; k <= n; ++k) {
        const Proportion seen{k, n};
        if (seen.low() <= p && p <= seen.high()) holds += term;
        term *= static_cast<double>(n - k) / static_cast<double>(k + 1) * p / (1 - p);
      }
      // (One side where none was seen, two where some were: together at least 92.5 %.)
      EXPECT_GE(holds, 0.925) << n << " " << p;
    }
  }
}

}  // namespace
}  // namespace heddle
