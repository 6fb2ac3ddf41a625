#include "tool/search/flips.h"

#include <gtest/gtest.h>

namespace heddle::search {
namespace {

std::vector<Flips> all_of(FlipOrder order) {
  std::vector<Flips> all;
  for (Flips flips = order.next(); !flips.empty(); flips = order.next()) all.push_back(flips);
  return all;
}

// Fig. 5.5d: A, B, C, then A and B, then A and C.
TEST(FlipOrder, IsThatOfTheRunningExample) {
  const std::vector<Flips> expected = {{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}};
  EXPECT_EQ(all_of(FlipOrder(3, 3, 2)), expected);
}

// Table 5.2: Pool's bug needs the fourth and the fifth branch together, the 15th combination of D = 5.
TEST(FlipOrder, ComesToTheFarthestPairLast) {
  const auto all = all_of(FlipOrder(9, 5, 2));
  ASSERT_EQ(all.size(), 15u);
  EXPECT_EQ(all.back(), (Flips{3, 4}));
}

TEST(FlipOrder, HasEverySubset) {
  EXPECT_EQ(all_of(FlipOrder(4, 4, 4)).size(), 15u);
  EXPECT_EQ(all_of(FlipOrder(2, 5, 5)).size(), 3u);
  EXPECT_TRUE(all_of(FlipOrder(0, 5, 5)).empty());
}

}  // namespace
}  // namespace heddle::search
