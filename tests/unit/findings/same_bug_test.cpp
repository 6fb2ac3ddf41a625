#include "tool/findings/same_bug.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tool/findings/fingerprint.h"
#include "tool/findings/known_bugs.h"

namespace heddle {
namespace {

// A program of one file, as a build of it has it: findings by the texts of their lines.
class Build {
 public:
  Build(const std::string& id, const std::vector<std::string>& text, const std::string& name = "queue.cpp")
      : text_(text) {
    folder_ =
        std::filesystem::temp_directory_path() / ("same_bug_test_" + std::to_string(getpid()) + "_" + id);
    std::filesystem::create_directories(folder_);
    file_ = (folder_ / name).string();
    std::ofstream out(file_);
    for (const std::string& line : text) out << line << "\n";
    trace.program.build_id = id;
    for (std::size_t i = 0; i < text.size(); ++i)
      trace.symbols.sources[file_][static_cast<std::uint32_t>(i) + 1] = text[i];
  }
  ~Build() { std::filesystem::remove_all(folder_); }
  Build(const Build&) = delete;
  Build& operator=(const Build&) = delete;

  struct At {
    std::string line;  // its text
    std::string function = "f()";
    PartRole role = PartRole::kHere;
    std::string variable = {};
    bool joins = false;
  };
  // The only finding now.
  const TraceFinding& finds(FindingKind kind, const std::vector<At>& places,
                            const std::string& message = {}) {
    TraceFinding finding;
    finding.kind = kind;
    finding.message = message;
    for (const At& at : places) {
      TracePart part;
      part.role = at.role;
      part.pc = next_pc_++;
      part.address = at.joins ? 0 : part.pc << 8;
      part.other = at.joins ? ThreadId{1} : kNoThread;
      Frame frame;
      frame.function = at.function;
      frame.file = file_;
      const auto line = std::ranges::find(text_, at.line);
      EXPECT_NE(line, text_.end()) << at.line;
      frame.line = static_cast<std::uint32_t>(line - text_.begin()) + 1;
      frame.module = "/home/u/program";
      trace.symbols.frames[part.pc] = {frame};
      if (!at.variable.empty()) trace.symbols.data[part.address].variable = at.variable;
      finding.parts.push_back(part);
    }
    trace.findings = {finding};
    return trace.findings.front();
  }
  SameBug bug() const { return SameBug(trace); }
  std::string folder() const { return folder_.string(); }

  Trace trace;

 private:
  std::vector<std::string> text_;
  std::filesystem::path folder_;
  std::string file_;
  std::uint64_t next_pc_ = 0x1000;
};

const std::vector<std::string> kOld = {"void f() {", "  x = 1;", "  assert(x == y);",
                                       "  y = 2;",   "  z = 3;", "}"};
using Kind = FindingKind;
constexpr PartRole kAccess = PartRole::kAccess, kPrevious = PartRole::kPreviousAccess;
constexpr PartRole kBlocked = PartRole::kBlockedThread;

TEST(SameBug, ALineMayMove) {
  Build old("a", kOld), moved("b", {"// new", "", "void f() {", "  x = 1;", "  // new", "  assert(x == y);",
                                    "  y = 2;", "  z = 3;", "}"});
  old.finds(Kind::kAssertion, {{"  assert(x == y);"}});
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kAssertion, {{"  assert(x == y);"}})));
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kAssertion, {{"  y = 2;"}})))
      << "another line of before";
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kAbort, {{"  assert(x == y);"}})))
      << "another kind";
}

TEST(SameBug, WhereALineWasTheDistanceFromTheFunctionMeansNothing) {
  // The third line of f is another one now.
  Build old("a", kOld),
      moved("b", {"void f() {", "  x = 1;", "  assert(z == 0);", "  assert(x == y);", "  y = 2;", "}"});
  old.finds(Kind::kAssertion, {{"  assert(x == y);"}});
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kAssertion, {{"  assert(z == 0);"}})));
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kAssertion, {{"  assert(x == y);"}})));
}

TEST(SameBug, ALineMayBeEdited) {
  Build old("a", kOld),
      edited("b", {"void f() {", "  x = 1;", "  assert(x == y && \"why\");", "  y = 2;", "  other();", "}"});
  old.finds(Kind::kAssertion, {{"  assert(x == y);"}});
  EXPECT_TRUE(old.bug().is(edited.trace, edited.finds(Kind::kAssertion, {{"  assert(x == y && \"why\");"}})));
  EXPECT_FALSE(old.bug().is(edited.trace, edited.finds(Kind::kAssertion, {{"  other();"}})))
      << "has no word of it";
  EXPECT_FALSE(old.bug().is(edited.trace, edited.finds(Kind::kAssertion, {{"  x = 1;"}})))
      << "was there before";
  EXPECT_FALSE(
      old.bug().is(edited.trace, edited.finds(Kind::kAssertion, {{"  assert(x == y && \"why\");", "g()"}})))
      << "another function";
}

TEST(SameBug, ARaceHasTwoPlacesInAnyOrder) {
  Build old("a", kOld),
      moved("b", {"", "void f() {", "  x = 1;", "  assert(x == y);", "  y = 2;", "  z = 3;", "}"});
  old.finds(Kind::kDataRace, {{"  x = 1;", "f()", kAccess}, {"  y = 2;", "g(int)", kPrevious}});
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kDataRace, {{"  y = 2;", "g(long)", kAccess},
                                                                      {"  x = 1;", "f()", kPrevious}})));
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kDataRace, {{"  x = 1;", "f()", kAccess},
                                                                      {"  z = 3;", "g(int)", kPrevious}})))
      << "one access is the same, and the other one is in the same function";
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kDataRace, {{"  x = 1;", "f()", kAccess},
                                                                       {"  z = 3;", "h(int)", kPrevious}})));
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kDataRace, {{"  assert(x == y);", "f()", kAccess},
                                                                       {"  z = 3;", "g(int)", kPrevious}})));
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kDataRace, {{"  x = 1;", "f()", kAccess},
                                                                       {"  x = 1;", "f()", kPrevious}})));
}

TEST(SameBug, AnAccessOfTheSameVariableMayBeWrittenAnew) {
  Build old("a", kOld),
      edited("b", {"void f() {", "  store_relaxed(1);", "  assert(x == y);", "  y = 2;", "  z = 3;", "}"});
  old.finds(Kind::kDataRace, {{"  x = 1;", "f()", kAccess, "x"}, {"  y = 2;", "f()", kPrevious, "x"}});
  EXPECT_TRUE(
      old.bug().is(edited.trace, edited.finds(Kind::kDataRace, {{"  store_relaxed(1);", "f()", kAccess, "x"},
                                                                {"  y = 2;", "f()", kPrevious, "x"}})));
  EXPECT_FALSE(
      old.bug().is(edited.trace, edited.finds(Kind::kDataRace, {{"  store_relaxed(1);", "g()", kAccess, "w"},
                                                                {"  y = 2;", "f()", kPrevious, "w"}})));
}

TEST(SameBug, OfThreadsThatWaitForEverSomeMayBeThereOrNot) {
  Build old("a", kOld),
      moved("b", {"", "void f() {", "  x = 1;", "  assert(x == y);", "  y = 2;", "  z = 3;", "}"});
  old.finds(Kind::kDeadlock, {{"  x = 1;", "f()", kBlocked},
                              {"  y = 2;", "f()", kBlocked},
                              {"  z = 3;", "main", kBlocked, "", true}});
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kDeadlock, {{"  y = 2;", "f()", kBlocked},
                                                                      {"  x = 1;", "f()", kBlocked}})));
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kLostWakeUp, {{"  x = 1;", "f()", kBlocked}})));
  EXPECT_FALSE(old.bug().is(
      moved.trace,
      moved.finds(Kind::kDeadlock, {{"  x = 1;", "f()", kBlocked}, {"  assert(x == y);", "f()", kBlocked}})));
  EXPECT_FALSE(
      old.bug().is(moved.trace, moved.finds(Kind::kDeadlock, {{"  assert(x == y);", "f()", kBlocked},
                                                              {"  z = 3;", "main", kBlocked, "", true}})))
      << "only who waits for them is the same";
}

TEST(SameBug, WhatTheProgramSaysCountsWithoutItsNumbers) {
  Build old("a", kOld), moved("b", kOld);
  old.finds(Kind::kReported, {{"  x = 1;"}}, "lost item 17");
  EXPECT_TRUE(old.bug().is(moved.trace, moved.finds(Kind::kReported, {{"  x = 1;"}}, "lost item 3")));
  EXPECT_FALSE(old.bug().is(moved.trace, moved.finds(Kind::kReported, {{"  x = 1;"}}, "twice item 3")));
}

TEST(SameBug, InTheSameBuildLinesCount) {
  Build old("a", kOld);
  const TraceFinding first = old.finds(Kind::kAssertion, {{"  x = 1;"}});
  const SameBug bug = old.bug();
  EXPECT_TRUE(bug.is(old.trace, old.finds(Kind::kAssertion, {{"  x = 1;"}})));
  EXPECT_FALSE(bug.is(old.trace, old.finds(Kind::kAssertion, {{"  y = 2;"}})));
}

TEST(SameBug, AFileMayBeRenamedButWhatStandsInMainIsInEveryProgram) {
  Build old("a", kOld), renamed("b", kOld, "ring.cpp");
  old.finds(Kind::kAssertion, {{"  assert(x == y);", "Queue::pop()"}});
  EXPECT_TRUE(
      old.bug().is(renamed.trace, renamed.finds(Kind::kAssertion, {{"  assert(x == y);", "Queue::pop()"}})));
  old.finds(Kind::kAssertion, {{"  assert(x == y);", "main"}});
  const TraceFinding in_main = renamed.finds(Kind::kAssertion, {{"  assert(x == y);", "main"}});
  EXPECT_TRUE(old.bug().is(renamed.trace, in_main));
  EXPECT_FALSE(SameBug(old.trace, SameBug::Asked::kAnyProgram).is(renamed.trace, in_main));
}

TEST(SameBug, NothingIsTheBugOfAnEmptyTrace) {
  Build build("a", kOld);
  const TraceFinding finding = build.finds(Kind::kAssertion, {{"  x = 1;"}});
  EXPECT_FALSE(SameBug().is(build.trace, finding));
  EXPECT_FALSE(SameBug(Trace()).is(build.trace, finding));
}

TEST(SameBug, OfTwoKnownBugsTheOneWithTheSameFingerprintIsMeant) {
  Build old("a", kOld), now("b", kOld);
  std::vector<KnownBug> known(2);
  old.finds(Kind::kDeadlock, {{"  x = 1;", "f()", kBlocked}});
  known[0].bug = old.bug();
  known[0].artifact = "small";
  old.finds(Kind::kDeadlock, {{"  x = 1;", "f()", kBlocked}, {"  y = 2;", "f()", kBlocked}});
  known[1].bug = old.bug();
  known[1].artifact = "large";
  const TraceFinding& finding =
      now.finds(Kind::kDeadlock, {{"  x = 1;", "f()", kBlocked}, {"  y = 2;", "f()", kBlocked}});
  ASSERT_NE(find_known(known, now.trace, finding), nullptr);
  EXPECT_EQ(find_known(known, now.trace, finding)->artifact, "small") << "both are it";
  known[1].signature = fingerprint(now.trace, finding);
  EXPECT_EQ(find_known(known, now.trace, finding)->artifact, "large");
}

TEST(PlainFunction, LeavesOutWhatEditsAndCompilersChange) {
  EXPECT_EQ(plain_function("main"), "main");
  EXPECT_EQ(plain_function("put(int, std::vector<int>&)"), "put");
  EXPECT_EQ(plain_function("Ring<int, 2ul>::pop() const"), "Ring::pop");
  EXPECT_EQ(plain_function("void work<int>(Queue<int>&)"), "work");
  EXPECT_EQ(plain_function("main::{lambda(int)#2}::operator()(int) const"), "main::{lambda}");
  EXPECT_EQ(plain_function("main::$_12::operator()() const"), "main::{lambda}");
  for (const char* nested : {"main::{lambda()#1}::operator()() const::{lambda(int)#1}::operator()(int) const",
                             "main()::<lambda()>::<lambda(int)>"})
    EXPECT_EQ(plain_function(nested), "main::{lambda}::{lambda}");
  EXPECT_EQ(plain_function("(anonymous namespace)::f(int)"), "(anonymous::f");
  EXPECT_EQ(plain_function("A::operator<(A const&) const"), "A::operator<");
  EXPECT_EQ(plain_function("A::operator->() const"), "A::operator->");
  EXPECT_EQ(plain_function("text[abi:cxx11](int) [clone .cold]"), "text[abi:cxx11]");
  EXPECT_EQ(plain_function(""), "");
  EXPECT_EQ(plain_function("odd<(("), "odd");
}

}  // namespace
}  // namespace heddle
