#include "runtime/symbolic/path_follower.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace heddle::symbolic {
namespace {

constexpr std::uint8_t kBranch = 0, kCall = 2;
constexpr ThreadId kChild{1}, kOther{2};

struct Decision {
  std::uint64_t place;
  std::uint64_t outcome;
};

class Following : public ::testing::Test {
 protected:
  void add_path(std::uint32_t parent, std::uint32_t child, const std::vector<Decision>& steps,
                const std::vector<PathQuestion::Loop>& loops = {}) {
    question_->path[question_->paths++] = {parent, child,
                                           steps_, static_cast<std::uint32_t>(steps.size()),
                                           loops_, static_cast<std::uint32_t>(loops.size())};
    for (const Decision& d : steps) question_->step[steps_++] = path_step_bits(d.place, kBranch, d.outcome);
    for (const auto& loop : loops) question_->loop[loops_++] = loop;
  }
  void begin() {
    question_->begin_execution();
    follower_->start(question_.get());
  }
  void main_steps(const std::vector<Decision>& steps) {
    for (const Decision& d : steps)
      follower_->step({kMainThread, kNoThread, 0, ++choices_}, d.place, kBranch, d.outcome);
  }
  bool all_on_path() const { return question_->left_by == PathQuestion::kNobody; }

  std::unique_ptr<PathQuestion> question_ = std::make_unique<PathQuestion>();
  std::unique_ptr<PathFollower> follower_ = std::make_unique<PathFollower>();
  std::uint32_t steps_ = 0, loops_ = 0, choices_ = 0;
};

TEST_F(Following, CountsStepsUntilAThreadLeavesItsPath) {
  add_path(0, 0, {{1, 0}, {2, 1}, {3, 0}, {4, 0}});
  begin();
  main_steps({{1, 0}, {2, 1}});
  EXPECT_TRUE(all_on_path());
  EXPECT_EQ(question_->together, 2u);
  main_steps({{3, 1}, {4, 0}});  // the third goes the other way; what comes then does not count
  EXPECT_EQ(question_->left_by, 0u);
  EXPECT_EQ(question_->left_at, 3u);
  EXPECT_EQ(question_->together, 2u);
  EXPECT_EQ(question_->reached[0], 2u);
}

TEST_F(Following, LetsThreadsGoOnBeyondTheEndOfTheirLog) {
  add_path(0, 0, {{1, 0}});
  begin();
  main_steps({{1, 0}, {9, 1}, {9, 0}});
  EXPECT_TRUE(all_on_path());
  EXPECT_EQ(question_->together, 1u);
}

TEST_F(Following, TakesAnyNumberOfRoundsOfAWaitingLoop) {
  // before; (look, not yet) many times; look, now; after.
  const std::vector<Decision> round{{2, 0}, {3, 0}};
  add_path(0, 0, {{1, 0}, {2, 0}, {3, 0}, {2, 0}, {3, 1}, {4, 0}}, {{1, 3}});
  for (const int rounds : {0, 1, 2, 50}) {
    SCOPED_TRACE(rounds);
    follower_ = std::make_unique<PathFollower>();
    begin();
    main_steps({{1, 0}});
    for (int i = 0; i < rounds; ++i) main_steps(round);
    main_steps({{2, 0}, {3, 1}, {4, 0}});
    EXPECT_TRUE(all_on_path());
    EXPECT_EQ(question_->reached[0], 6u);
  }
}

TEST_F(Following, TellsRoundsFromTheWayOutByTheirFirstStep) {
  add_path(0, 0, {{1, 0}, {2, 0}, {2, 1}, {4, 0}}, {{1, 2}});
  for (const int rounds : {0, 1, 2, 50}) {
    SCOPED_TRACE(rounds);
    follower_ = std::make_unique<PathFollower>();
    begin();
    main_steps({{1, 0}});
    for (int i = 0; i < rounds; ++i) main_steps({{2, 0}});
    main_steps({{2, 1}, {4, 0}});
    EXPECT_TRUE(all_on_path());
    EXPECT_EQ(question_->reached[0], 4u);
    EXPECT_EQ(question_->together, 4u);
  }
}

TEST_F(Following, KnowsThreadsByTheirParentAndNumber) {
  add_path(0, 0, {{1, 0}});
  add_path(0, 1, {{5, 0}, {6, 0}});  // main's second child
  add_path(1, 0, {{7, 0}});          // and that one's first
  begin();
  main_steps({{1, 0}});
  follower_->step({kChild, kMainThread, 1, 2}, 5, kBranch, 0);
  follower_->step({kOther, kChild, 0, 3}, 7, kBranch, 0);
  EXPECT_EQ(question_->reached[1], 1u);
  EXPECT_EQ(question_->reached[2], 1u);
  EXPECT_EQ(question_->together, 3u);
  // One that the log does not have is compared with nothing.
  follower_->step({ThreadId{3}, kMainThread, 0, 4}, 8, kBranch, 0);
  EXPECT_TRUE(all_on_path());
}

TEST_F(Following, ComparesWhomAnIndirectCallEnters) {
  add_path(0, 0, {});
  question_->path[0].steps = 1;
  question_->step[0] = path_step_bits(7, kCall, 77);
  begin();
  follower_->call(kMainThread, 7);
  follower_->entered({kMainThread, kNoThread, 0, 1}, 77);
  follower_->entered({kMainThread, kNoThread, 0, 1}, 78);  // a direct call
  EXPECT_EQ(question_->reached[0], 1u);
  EXPECT_TRUE(all_on_path());
}

}  // namespace
}  // namespace heddle::symbolic
