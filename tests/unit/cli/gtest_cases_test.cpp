#include "tool/cli/gtest_cases.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

std::vector<std::string> filters(const std::vector<GtestCase>& cases) {
  std::vector<std::string> result;
  for (const GtestCase& test : cases) result.push_back(test.filter());
  return result;
}

constexpr const char* kListing =
    "Running main() from gtest_main.cc\n"
    "Queue.\n  Pops\n  DISABLED_Blocks\n"
    "DISABLED_Stack.\n  Pops\n"
    "Sizes/Values.\n  Keeps/0  # GetParam() = \"a.\"\n  Keeps/1  # GetParam() = 2\n"
    "Typed/0.  # TypeParam = std::vector<int>\n  Works\n";

TEST(GtestCases, AreReadFromTheListing) {
  EXPECT_EQ(filters(parse_gtest_list(kListing, false)),
            (std::vector<std::string>{"Queue.Pops", "Sizes/Values.Keeps/0", "Sizes/Values.Keeps/1",
                                      "Typed/0.Works"}));
  EXPECT_EQ(parse_gtest_list(kListing, true).size(), 6u);
  EXPECT_TRUE(parse_gtest_list("", false).empty());
  EXPECT_TRUE(parse_gtest_list("  Orphan\nno suite\n  Orphan", false).empty());
}

TEST(GtestCases, ShardsDivideThem) {
  const std::vector<GtestCase> cases = parse_gtest_list(kListing, false);
  EXPECT_EQ(filters(GtestShard{3, 0}.part_of(cases)),
            (std::vector<std::string>{"Queue.Pops", "Typed/0.Works"}));
  EXPECT_EQ(filters(GtestShard{3, 2}.part_of(cases)), (std::vector<std::string>{"Sizes/Values.Keeps/1"}));
  EXPECT_EQ(GtestShard{}.part_of(cases).size(), cases.size());
}

}  // namespace
}  // namespace heddle::cli
