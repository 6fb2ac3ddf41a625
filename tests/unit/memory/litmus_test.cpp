// Every litmus test, three ways: its declared outcomes against the enumerator, the model's exhaustive
// exploration against both, and all orders in which the threads can be created. Each execution is checked
// against the axioms.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/oracle/enumerate.h"
#include "tests/oracle/program.h"
#include "tests/unit/memory/explore.h"

namespace heddle::memory {
namespace {

using oracle::LitmusTest;
using oracle::Outcomes;
using oracle::SeqCst;

constexpr std::uint64_t kMostInterleavings = 50'000;
constexpr std::uint64_t kMostInAllWays = 3000;

class Litmus : public testing::Test {
 public:
  explicit Litmus(LitmusTest test) : test_(std::move(test)) {}

  void TestBody() override {
    const oracle::Program& program = test_.program;
    const Outcomes consistent = oracle::consistent_outcomes(program);
    check_declared(consistent, "enumerator");
    // The largest are for `heddle bench litmus`, which leaves out what only repeats others.
    if (oracle::interleavings(program) > kMostInterleavings) return;
    ExploreOptions options;
    options.model.prune = PruneKind::kNever;
    options.check_axioms = true;
    const Explored shown = explorer_.explore(program, options);
    ASSERT_EQ(shown.error, "") << oracle::to_string(program);
    check_declared(shown.outcomes, "model");
    EXPECT_EQ(difference(program, shown.outcomes, consistent), "");
    if (oracle::interleavings(program) <= kMostInAllWays) {
      check_pruning(consistent);
      check_creation_orders(consistent);
      check_words();
    }
    if (!test_.limits.empty() && !HasFailure()) check_limits(consistent);
  }

 private:
  void check_declared(const Outcomes& outcomes, const char* who) {
    for (const auto& c : test_.allowed) EXPECT_TRUE(shows(outcomes, c)) << who << " does not show" << c.text;
    for (const auto& c : test_.forbidden) EXPECT_FALSE(shows(outcomes, c)) << who << " shows" << c.text;
  }

  // The model of the standard's words, without the repair.
  void check_words() {
    ExploreOptions options;
    options.model.model = ModelKind::kCxx20Words;
    options.model.prune = PruneKind::kNever;
    EXPECT_EQ(difference(test_.program, explorer_.explore(test_.program, options).outcomes,
                         oracle::consistent_outcomes(test_.program, {SeqCst::kWords, false})),
              "");
  }

  void check_pruning(const Outcomes& consistent) {
    ExploreOptions options;
    options.model.prune = PruneKind::kConservative;
    EXPECT_EQ(difference(test_.program, explorer_.explore(test_.program, options).outcomes, consistent), "");
    options.model.prune = PruneKind::kWindow;
    for (const std::uint64_t window : {1, 2, 3}) {
      options.model.window = window;
      const Explored shown = explorer_.explore(test_.program, options);
      EXPECT_EQ(shown.error, "");
      for (const auto& c : test_.forbidden)
        EXPECT_FALSE(shows(shown.outcomes, c)) << "window " << window << c.text;
    }
  }

  void check_creation_orders(const Outcomes& consistent) {
    std::vector<std::size_t> order(test_.program.threads.size());
    std::iota(order.begin(), order.end(), 0u);
    // Of the 23 others of four threads, every fifth is enough: each thread is once first and once last.
    for (int n = 1; std::next_permutation(order.begin(), order.end()); ++n) {
      if (order.size() == 4 && n % 5 != 3) continue;
      ExploreOptions options;
      options.creation_order = order;
      const Explored shown = explorer_.explore(test_.program, options);
      EXPECT_EQ(difference(test_.program, shown.outcomes, consistent), "") << testing::PrintToString(order);
    }
  }

  void check_limits(const Outcomes& consistent) {
    const Outcomes standard = oracle::consistent_outcomes(test_.program, {SeqCst::kRepaired, true});
    std::string reasons;
    for (const auto& c : test_.limits) {
      EXPECT_TRUE(shows(standard, c)) << "not allowed by C++20 either:" << c.text;
      EXPECT_FALSE(shows(consistent, c)) << "no limit any more:" << c.text;
      reasons += "not shown:" + c.text + "because " + c.reason + " ";
    }
    GTEST_SKIP() << reasons;
  }

  LitmusTest test_;
  SteppedModel model_;
  Explorer explorer_{model_};
};

// The corpus is as large and as varied as it claims to be.
TEST(LitmusCorpus, HasManyTestsOfManyShapes) {
  std::set<std::string> shapes;
  const std::vector<LitmusTest> tests = oracle::read_litmus_folder(HEDDLE_LITMUS_FOLDER);
  for (const LitmusTest& test : tests) shapes.insert(test.shape);
  EXPECT_GE(tests.size(), 150u);
  EXPECT_GE(shapes.size(), 40u);
}

// What C++20 forbids is also never allowed by the model's axioms: they only take away.
TEST(LitmusCorpus, ModelIsStrongerThanTheStandard) {
  for (const LitmusTest& test : oracle::read_litmus_folder(HEDDLE_LITMUS_FOLDER)) {
    const Outcomes model = oracle::consistent_outcomes(test.program);
    const Outcomes standard = oracle::consistent_outcomes(test.program, {SeqCst::kRepaired, true});
    EXPECT_TRUE(std::includes(standard.begin(), standard.end(), model.begin(), model.end()))
        << test.program.name;
    for (const auto& c : test.forbidden) EXPECT_FALSE(shows(standard, c)) << test.program.name << c.text;
  }
}

}  // namespace
}  // namespace heddle::memory

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const oracle::LitmusTest& test : oracle::read_litmus_folder(HEDDLE_LITMUS_FOLDER)) {
    testing::RegisterTest("Litmus", test.program.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [test] { return new heddle::memory::Litmus(test); });
  }
  return RUN_ALL_TESTS();
}
