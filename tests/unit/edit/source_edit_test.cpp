#include "tool/edit/source_edit.h"

#include <gtest/gtest.h>

namespace heddle::edit {
namespace {

SourceText numbered(int count, bool last_line_ends) {
  SourceText text;
  for (int i = 1; i <= count; ++i) text.lines.push_back("line " + std::to_string(i));
  text.last_line_ends = last_line_ends;
  return text;
}

TEST(UnifiedDiff, HasThreeLinesAroundAndOneHunkForNeighbours) {
  const auto diff = unified_diff({{"/src/a.cpp", 12, 1, "line", "row"},
                                  {"/src/a.cpp", 5, 6, "5", "five"},
                                  {"/src/a.cpp", 5, 6, "5", "five"},
                                  {"/src/a.cpp", 30, 1, "line", "row"}},
                                 {{"/src/a.cpp", numbered(31, false)}}, "/src");
  ASSERT_TRUE(diff) << diff.error().message;
  EXPECT_EQ(*diff,
            "--- a/a.cpp\n+++ b/a.cpp\n"
            "@@ -2,14 +2,14 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n "
            "line 9\n"
            " line 10\n line 11\n-line 12\n+row 12\n line 13\n line 14\n line 15\n"
            "@@ -27,5 +27,5 @@\n line 27\n line 28\n line 29\n-line 30\n+row 30\n line 31\n"
            "\\ No newline at end of file\n");
}

TEST(UnifiedDiff, ChangesSeveralWordsOfOneLine) {
  SourceText text;
  text.lines = {"a(relaxed, relaxed);"};
  const auto diff = unified_diff({{"x.c", 1, 3, "relaxed", "acq_rel"}, {"x.c", 1, 12, "relaxed", "acquire"}},
                                 {{"x.c", text}}, "/");
  ASSERT_TRUE(diff);
  EXPECT_EQ(*diff, "--- a/x.c\n+++ b/x.c\n@@ -1,1 +1,1 @@\n-a(relaxed, relaxed);\n+a(acq_rel, acquire);\n");
}

TEST(UnifiedDiff, SaysWhereTheSourceHasChanged) {
  const auto diff = unified_diff({{"x.c", 2, 1, "gone", "new"}}, {{"x.c", numbered(3, true)}}, "/");
  ASSERT_FALSE(diff);
  EXPECT_NE(diff.error().message.find("x.c:2 does not have gone"), std::string::npos);
  EXPECT_FALSE(unified_diff({{"x.c", 9, 1, "gone", "new"}}, {{"x.c", numbered(3, true)}}, "/"));
}

}  // namespace
}  // namespace heddle::edit
