#include "tool/findings/suppressions.h"

#include <gtest/gtest.h>

#include "tests/unit/mutated.h"

namespace heddle {
namespace {

TEST(SuppressionTemplate, MatchesAnyPartOfAName) {
  EXPECT_TRUE(matches_template("count", "recount_all()"));
  EXPECT_FALSE(matches_template("count", "cont"));
  EXPECT_FALSE(matches_template("count", ""));
}

TEST(SuppressionTemplate, AnchorsAndStars) {
  EXPECT_TRUE(matches_template("^count", "count_all"));
  EXPECT_FALSE(matches_template("^count", "recount"));
  EXPECT_TRUE(matches_template("count$", "recount"));
  EXPECT_FALSE(matches_template("count$", "counted"));
  EXPECT_TRUE(matches_template("^count$", "count"));
  EXPECT_FALSE(matches_template("^count$", "countcount"));
  EXPECT_TRUE(matches_template("ab$", "abab"));
  EXPECT_TRUE(matches_template("a*c", "xxabbbcxx"));
  EXPECT_FALSE(matches_template("c*a", "abc"));
  EXPECT_TRUE(matches_template("^a*$", "abc"));
  EXPECT_TRUE(matches_template("std::_Sp<*>::load", "std::_Sp<int>::load()"));
  EXPECT_TRUE(matches_template("*", "anything"));
}

Trace sample() {
  Trace trace;
  Frame inner, outer;
  inner.function = "increment";
  inner.file = "/src/counter.cpp";
  inner.module = "/bin/program";
  outer.function = "worker";
  outer.file = "/src/worker.cpp";
  outer.module = "/bin/program";
  trace.symbols.frames[0x11] = {inner};
  trace.symbols.frames[0x21] = {outer};
  trace.stacks.push_back({0x21, kEmptyStack});
  TraceFinding race;
  race.kind = FindingKind::kDataRace;
  TracePart access;
  access.role = PartRole::kAccess;
  access.pc = 0x11;
  access.stack = StackId{1};
  race.parts.push_back(access);
  trace.findings.push_back(race);
  return trace;
}

bool suppressed(const std::string& line, const Trace& trace) {
  Suppressions suppressions;
  EXPECT_TRUE(static_cast<bool>(suppressions.add(line, "test")));
  return suppressions.match(trace, trace.findings[0]) != nullptr;
}

TEST(Suppressions, LooksAtFunctionsFilesAndModulesOfAllFrames) {
  const Trace trace = sample();
  EXPECT_TRUE(suppressed("race:increment", trace));
  EXPECT_TRUE(suppressed("race:worker.cpp", trace));
  EXPECT_TRUE(suppressed("race:program$", trace));
  EXPECT_TRUE(suppressed("race_top:increment", trace));
  EXPECT_FALSE(suppressed("race_top:worker.cpp", trace));
  EXPECT_FALSE(suppressed("mutex:increment", trace));
}

TEST(Suppressions, KindsHaveTheirTypes) {
  Trace trace = sample();
  trace.findings[0].kind = FindingKind::kDeadlock;
  EXPECT_TRUE(suppressed("deadlock:worker", trace));
  EXPECT_FALSE(suppressed("race:worker", trace));
  trace.findings[0].kind = FindingKind::kMutexMisuse;
  EXPECT_TRUE(suppressed("mutex:worker", trace));
  trace.findings[0].kind = FindingKind::kAssertion;
  EXPECT_FALSE(suppressed("race:*", trace));
}

// Ten thousand bad files: taken, or refused with the line.
TEST(Suppressions, MutatedFiles) {
  const std::string file = "# comment\nrace:worker\ndeadlock:^main$\n\nmutex:*.c\nrace_top:f(int, char*)\n";
  Random random(5);
  int refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    Suppressions suppressions;
    const Status status = suppressions.add(mutated(file, random), "file");
    if (status) continue;
    ++refused;
    ASSERT_EQ(status.error().code, ExitCode::kBadInput);
    ASSERT_TRUE(status.error().message.starts_with("file:")) << status.error().message;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Suppressions, ErrorsNameTheLine) {
  Suppressions suppressions;
  const Status status = suppressions.add("# comment\nrace:ok\n\n  race ok\n", "file");
  ASSERT_FALSE(static_cast<bool>(status));
  EXPECT_NE(status.error().message.find("file:4:"), std::string::npos) << status.error().message;
  EXPECT_EQ(status.error().code, ExitCode::kBadInput);
}

}  // namespace
}  // namespace heddle
