// What every command that finds bugs relies on when it keeps one.
#include "tool/findings/kept_bug.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tool/artifact/artifact.h"

namespace heddle {
namespace {

class KeptBugs : public testing::Test {
 protected:
  KeptBugs() : folder_(testing::TempDir() + "heddle-kept-" + std::to_string(getpid())) {}
  ~KeptBugs() override { std::filesystem::remove_all(folder_); }

  static Trace trace_with(std::initializer_list<FindingKind> kinds) {
    Trace trace;
    for (const FindingKind kind : kinds) trace.findings.emplace_back().kind = kind;
    return trace;
  }

  std::string folder_;
};

TEST_F(KeptBugs, WhatTheArtifactIsAboutComesFirstAndTheRestStaysInOrder) {
  Trace trace = trace_with({FindingKind::kDataRace, FindingKind::kAbort, FindingKind::kDeadlock});
  put_first(trace, 2);
  EXPECT_EQ(trace.findings[0].kind, FindingKind::kDeadlock);
  EXPECT_EQ(trace.findings[1].kind, FindingKind::kDataRace);
  EXPECT_EQ(trace.findings[2].kind, FindingKind::kAbort);
  put_first(trace, 0);
  EXPECT_EQ(trace.findings[0].kind, FindingKind::kDeadlock);
}

TEST_F(KeptBugs, TheSmallerFormTakesThePlaceOfTheLarger) {
  KeptBug bug;
  EXPECT_FALSE(bug.was_tried());
  bug.keep(folder_, trace_with({FindingKind::kAbort}));
  EXPECT_EQ(bug.artifact, folder_ + "/bug-1.heddle");
  EXPECT_TRUE(bug.why_not_kept.empty());
  EXPECT_TRUE(bug.was_tried());
  EXPECT_EQ(read_artifact(bug.artifact)->findings.front().kind, FindingKind::kAbort);

  ASSERT_TRUE(bug.keep_smaller(trace_with({FindingKind::kDeadlock})));
  EXPECT_EQ(read_artifact(bug.artifact)->findings.front().kind, FindingKind::kDeadlock);
  KeptBug other;
  other.keep(folder_, trace_with({FindingKind::kAbort}));
  EXPECT_EQ(other.artifact, folder_ + "/bug-2.heddle");
}

TEST_F(KeptBugs, WhatCannotBeWrittenSaysWhyAndHarmsNothing) {
  std::filesystem::create_directories(folder_);
  const std::string file = folder_ + "/file";
  std::ofstream(file) << "in the way";
  KeptBug bug;
  bug.keep(file, trace_with({FindingKind::kAbort}));
  EXPECT_TRUE(bug.artifact.empty());
  EXPECT_NE(bug.why_not_kept, "");
  EXPECT_TRUE(bug.was_tried());
  EXPECT_TRUE(bug.keep_smaller(trace_with({FindingKind::kAbort})))
      << "there is nothing to put it in place of";
  std::string content;
  std::getline(std::ifstream(file), content);
  EXPECT_EQ(content, "in the way");
}

}  // namespace
}  // namespace heddle
