#include "core/trace/learning.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "core/trace/channel.h"

namespace heddle {
namespace {

class LearningTest : public testing::Test {
 protected:
  LearningTest()
      : learning_(static_cast<Learning*>(mmap(nullptr, sizeof(Learning), PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~LearningTest() override { munmap(learning_, sizeof(Learning)); }

  static ExecutionResult result_with(std::uint64_t fingerprint) {
    ExecutionResult result;
    result.fingerprint = fingerprint;
    return result;
  }

  void record(std::uint64_t index, std::uint32_t events, std::uint32_t member, std::uint64_t fingerprint) {
    ExecutionResult result = result_with(fingerprint);
    result.index = index;
    result.counted_events = events;
    result.communications = events / 2;
    result.member = member;
    learning_->record(result);
  }

  Learning* learning_;
};

TEST(Rounds, CoverEveryIndexOnce) {
  EXPECT_EQ(round_begin(0), 0u);
  for (std::uint32_t r = 0; r + 1 < 60; ++r) {
    EXPECT_LT(round_begin(r), round_begin(r + 1));
    EXPECT_EQ(round_of(round_begin(r)), r);
    EXPECT_EQ(round_of(round_begin(r + 1) - 1), r);
  }
}

TEST_F(LearningTest, OnlyEarlierRoundsCount) {
  record(0, 10, kNoMember, 0);
  record(1, 20, kNoMember, 0);
  EXPECT_EQ(learning_->events(0), 0u);
  EXPECT_EQ(learning_->events(1), 10u);
  EXPECT_EQ(learning_->events(2), 15u);
  EXPECT_EQ(learning_->communications(2), 8u);  // rounded up
  EXPECT_EQ(learning_->completed(), 2u);
}

// Who was first is decided by the index, not by who came first.
TEST_F(LearningTest, FreshExecutionsGoToTheirFirstIndex) {
  record(7, 1, 3, 0x1234'5678'0000'0001);
  record(6, 1, 2, 0x9999'0000'0000'0002);
  record(5, 1, 1, 0x1234'5678'0000'0001);
  record(4, 1, 1, 0x1234'5678'0000'0001);
  const RoundRecord& round = learning_->judged_round(round_of(4));
  EXPECT_EQ(round.members[1].fresh.load(), 1u);
  EXPECT_EQ(round.members[2].fresh.load(), 1u);
  EXPECT_EQ(round.members[3].fresh.load(), 0u);
  EXPECT_EQ(round.members[1].executions.load(), 2u);
}

// Early and late executions are kept apart; who was first is told across.
TEST_F(LearningTest, FingerprintsAreKnownWhateverTheirAge) {
  constexpr std::uint64_t kEarly = 3, kLate = 5000, kLast = kJudged - 1;
  record(kLate, 1, 0, 71);
  record(kLast, 1, 0, 71);
  record(kLast - 1, 1, 0, 72);
  const std::uint64_t both = behaviour(result_with(71)), one = behaviour(result_with(72));
  EXPECT_FALSE(learning_->is_fingerprint_known(both, round_of(kLate)));
  EXPECT_TRUE(learning_->is_fingerprint_known(both, round_of(kLast)));
  EXPECT_FALSE(learning_->is_fingerprint_known(one, round_of(kLast)));
  record(kEarly, 1, 0, 71);
  EXPECT_TRUE(learning_->is_fingerprint_known(both, round_of(kLate)));
  EXPECT_EQ(learning_->judged_round(round_of(kLate)).members[0].fresh.load(), 0u);
  EXPECT_EQ(learning_->judged_round(round_of(kLast)).members[0].fresh.load(), 1u);
}

// What is known is what earlier rounds have shown, whoever of this one comes first.
TEST_F(LearningTest, PairsAreKnownFromEarlierRounds) {
  const std::uint64_t begin = round_begin(round_of(20));
  learning_->pairs().note(42, begin + 1);
  EXPECT_FALSE(learning_->pairs().known_before(42, begin));
  learning_->pairs().note(42, begin - 1);
  learning_->pairs().note(42, begin + 2);
  EXPECT_TRUE(learning_->pairs().known_before(42, begin));
  EXPECT_TRUE(learning_->pairs().is_first(42, begin - 1));
  learning_->pairs().note(43, 0);
  EXPECT_EQ(learning_->pairs().count(), 2u);
}

TEST_F(LearningTest, PlacesAreFoundAgain) {
  ProfiledPlace* place = learning_->place(0x1000);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(learning_->place(0x1000), place);
  EXPECT_NE(learning_->place(0x2000), place);
}

}  // namespace
}  // namespace heddle
