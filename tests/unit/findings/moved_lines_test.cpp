#include "tool/findings/moved_lines.h"

#include <gtest/gtest.h>

#include "tool/findings/carried_lines.h"

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

MovedLines::Kept kept(const Lines& text, std::uint32_t first = 1) {
  MovedLines::Kept lines;
  for (const std::string& line : text) lines[first++] = line;
  return lines;
}

TEST(MovedLines, FindsALineByItsText) {
  const MovedLines moved(kept({"a = 1;", "b = 2;", "c = 3;"}, 10),
                         {"// new", "a  = 1;", "", "b=2;", "  c = 3;  "});
  EXPECT_EQ(moved.now(10), 2);
  EXPECT_EQ(moved.now(11), 4);
  EXPECT_EQ(moved.now(12), 5);
  EXPECT_TRUE(moved.is_unmistakable(11));
  EXPECT_TRUE(moved.is_old(4));
  EXPECT_FALSE(moved.is_old(1));
}

TEST(MovedLines, ALineThatWasEditedIsNotThere) {
  const MovedLines moved(kept({"a();", "b();", "c();"}), {"x();", "a();", "b(1);", "c();"});
  EXPECT_EQ(moved.now(2), std::nullopt);
  EXPECT_EQ(moved.about(2), 3u);
  EXPECT_EQ(moved.about(99), 100u);
}

TEST(MovedLines, OfSeveralLinesWithOneTextEachIsFoundWhereItWentWithItsNeighbours) {
  const Lines before = {"first();", "lock.lock();", "second();", "lock.lock();", "third();"};
  const MovedLines moved(kept(before, 10),
                         {"", "", "first();", "lock.lock();", "second();", "lock.lock();", "third();"});
  EXPECT_EQ(moved.now(11), 4);
  EXPECT_EQ(moved.now(13), 6);
  EXPECT_FALSE(moved.is_unmistakable(11));
  // One of the two was taken out: the other one is not taken for it.
  const MovedLines one(kept(before, 10), {"first();", "second();", "lock.lock();", "third();"});
  EXPECT_EQ(one.now(13), 3);
  EXPECT_EQ(one.now(11), std::nullopt);
}

TEST(MovedLines, WithoutOneOfTheTextsNothingIsKnown) {
  EXPECT_FALSE(MovedLines(kept({"a"}), {}).is_known());
  EXPECT_FALSE(MovedLines({}, {"a"}).is_known());
  EXPECT_FALSE(MovedLines().is_known());
}

TEST(MovedLines, BlanksCountBetweenWordsOnly) {
  EXPECT_EQ(squeezed("  return  x ;\t"), "return x;");
  EXPECT_EQ(squeezed("a + b"), squeezed("a+b"));
  EXPECT_NE(squeezed("int x"), squeezed("intx"));
  EXPECT_EQ(squeezed(" \t"), "");
}

TEST(CarriedLines, AStatementBeginsWhereTheOneBeforeHasEnded) {
  const Lines text = {"int f() {", "  g(1,", "    2,", "    3);  // all", "  // why", "  h();", "}"};
  for (const std::uint32_t line : {2u, 3u, 4u}) EXPECT_EQ(statement_of(text, line), 2u);
  EXPECT_EQ(statement_of(text, 6), 6u);
  EXPECT_EQ(statement_of(text, 1), 1u);
  EXPECT_EQ(statement_of(text, 99), 99u);
}

}  // namespace
}  // namespace heddle
