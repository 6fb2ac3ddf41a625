#include "tool/report/fixed.h"

#include <gtest/gtest.h>

#include "tests/unit/report/trace_builder.h"

namespace heddle::report {
namespace {

TEST(FixedText, BoundsAreRoundedUpAndRatesToTheNearest) {
  EXPECT_EQ(bound_text(7.489e-5), "0.0075 %");
  EXPECT_EQ(bound_text(0.0301), "3.1 %");
  EXPECT_EQ(rate_text(0.0301), "3.0 %");
  EXPECT_EQ(rate_text(0.031), "3.1 %");
  EXPECT_EQ(bound_text(0.05), "5.0 %");
  EXPECT_EQ(bound_text(0.991), "100 %");
  EXPECT_EQ(rate_text(0.5), "50 %");
  EXPECT_EQ(rate_text(1), "100 %");
  EXPECT_EQ(rate_text(0), "0 %");
  EXPECT_EQ(bound_text(1.23e-9), "0.00000013 %");
}

class Answer : public testing::Test {
 protected:
  Answer() {
    builder_.finding(FindingKind::kAssertion, "x");
    builder_.part(PartRole::kHere, 0, {{"f", "/src/queue.cpp", 41, 3}});
    answer_.bug = &builder_.trace;
    answer_.artifact = "bug-1.heddle";
    answer_.verdict = FixedAnswer::Verdict::kGone;
    answer_.now.emplace().seen = {0, 40'000};
  }
  bool says(const std::string& what) const { return fixed_text(answer_).find(what) != std::string::npos; }

  TraceBuilder builder_;
  FixedAnswer answer_;
};

TEST_F(Answer, SaysTheRatesBeforeAndNow) {
  answer_.before.emplace().seen = {62, 2000};
  EXPECT_TRUE(says("heddle: gone: assertion failure ")) << fixed_text(answer_);
  EXPECT_TRUE(says("before: seen in 62 of 2,000 executions: 3.1 % (95 % interval: 2.4 % to 4.0 %)"))
      << fixed_text(answer_);
  EXPECT_TRUE(says("now:    in none of 40,000 executions: below 0.0075 % with 95 % confidence"));
  EXPECT_TRUE(says("with the old rate, 40,000 executions would show none with probability 0.0001 % at most"));
  EXPECT_FALSE(says("by chance"));
}

TEST_F(Answer, SaysWhereFewExecutionsProveLittle) {
  answer_.before.emplace().seen = {1, 2000};
  answer_.now->seen = {0, 100};
  EXPECT_TRUE(says("could show none by chance")) << fixed_text(answer_);
  answer_.before->seen = {0, 2000};
  EXPECT_TRUE(says("do not show it in the old program, either")) << fixed_text(answer_);
}

TEST_F(Answer, SaysWhatWasLeftOut) {
  answer_.now->ended_by_other = 7;
  answer_.now->unfinished = 2;
  answer_.why_no_before = "It is gone.";
  EXPECT_TRUE(says("; another bug ended 7 more before; 2 more were not run to their end"))
      << fixed_text(answer_);
  EXPECT_TRUE(says("before: not known. It is gone."));
}

TEST_F(Answer, NamesTheNewArtifact) {
  answer_.verdict = FixedAnswer::Verdict::kStillThere;
  answer_.found = &builder_.trace;
  answer_.found_by = FixedAnswer::FoundBy::kNearby;
  answer_.found_artifact = "out/bug-2.heddle";
  EXPECT_TRUE(says("heddle: still there: ")) << fixed_text(answer_);
  EXPECT_TRUE(says("reproduce: heddle replay out/bug-2.heddle"));
  const std::string json = fixed_json(answer_);
  EXPECT_NE(json.find("\"found_by\": \"an execution near the old one\""), std::string::npos) << json;
}

}  // namespace
}  // namespace heddle::report
