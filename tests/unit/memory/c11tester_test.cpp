// The paper's model beside ours, on the litmus corpus: where C++11's rules for seq_cst allow more than C++20.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/oracle/enumerate.h"
#include "tests/oracle/program.h"
#include "tests/unit/memory/explore.h"

namespace heddle::memory {
namespace {

bool uses_seq_cst(const oracle::Program& program) {
  for (const auto& thread : program.threads) {
    for (const oracle::Op& op : thread) {
      if (op.order == oracle::Order::kSeqCst || op.failure == oracle::Order::kSeqCst) return true;
    }
  }
  return false;
}

class C11Tester : public testing::Test {
 protected:
  oracle::Outcomes explore(const oracle::Program& program) {
    ExploreOptions options;
    options.model.model = ModelKind::kC11Tester;
    options.model.prune = PruneKind::kNever;
    const Explored shown = explorer_.explore(program, options);
    EXPECT_EQ(shown.error, "") << program.name;
    return shown.outcomes;
  }
  SteppedModel model_;
  Explorer explorer_{model_};
};

TEST_F(C11Tester, EqualsCxx20WithoutSeqCst) {
  for (const auto& test : oracle::read_litmus_folder(HEDDLE_LITMUS_FOLDER)) {
    if (uses_seq_cst(test.program) || oracle::interleavings(test.program) > 1000) continue;
    EXPECT_EQ(difference(test.program, explore(test.program), oracle::consistent_outcomes(test.program)), "");
  }
}

// papers: "They allow outcomes that C++20 forbids: IRIW or RWC with seq_cst fences between relaxed accesses,
// or with relaxed stores and seq_cst loads". Everything else that C++20 forbids is forbidden here too.
TEST_F(C11Tester, IsWeakerThanCxx20WhereThePaperIs) {
  std::set<std::string> weaker;
  for (const auto& test : oracle::read_litmus_folder(HEDDLE_LITMUS_FOLDER)) {
    if (!uses_seq_cst(test.program) || oracle::interleavings(test.program) > 1200) continue;
    const oracle::Outcomes shown = explore(test.program);
    // Its S is the order of execution.
    const oracle::Outcomes in_order =
        oracle::consistent_outcomes(test.program, {oracle::SeqCst::kExecutionOrder, false});
    for (const auto& c : test.allowed)
      EXPECT_TRUE(shows(shown, c) || !shows(in_order, c)) << test.program.name << c.text;
    for (const auto& c : test.forbidden) {
      if (shows(shown, c)) weaker.insert(test.program.name);
    }
  }
  const std::set<std::string> expected = {"IRIW+fence+sc-loads",
                                          "IRIW+fences",
                                          "IRIW+fences+rel",
                                          "IRIW+rel+sc-loads",
                                          "IRIW+rlx+sc-loads",
                                          "RWC+fences",
                                          "RWC+rel-store+sc",
                                          "RWC+rlx-store+sc",
                                          "S.IRIW+fences",
                                          "S.IRIW+rel-stores",
                                          "S.IRIW+rlx-stores",
                                          "S.RWC+fences",
                                          "S.RWC+rel-store",
                                          "S.RWC+rlx-store",
                                          "S.W+RWC+fences",
                                          "S.rfi+known-rel",
                                          "S.rfi+then-update",
                                          "S.rfi+update",
                                          "S.rfis+updates",
                                          "W+RWC+fences",
                                          "WRR+2W+fences",
                                          "WRW+2W+fences",
                                          "WRW+WR+fences",
                                          "WRW+WR+sc",
                                          "fence-order+fence-through-message",
                                          "fence-order+sc-fence-before-message",
                                          "fence-order+sc-fence-hb",
                                          "sc-fence-access+IRIW",
                                          "sc-transitive+IRIW-one-rlx",
                                          "sc-transitive+RWC-update"};
  EXPECT_EQ(weaker, expected);
}

}  // namespace
}  // namespace heddle::memory
