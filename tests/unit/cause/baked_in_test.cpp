#include "tool/cause/baked_in.h"

#include <gtest/gtest.h>

namespace heddle::cause {
namespace {

// Wilson's interval of 95 %, by hand: 5 of 10 is 0.2366 to 0.7634, 0 of 10 ends at 0.2775.
TEST(BakedInTest, AShareHasWilsonsInterval) {
  EXPECT_NEAR(share_of(5, 10).low, 0.2366, 0.0001);
  EXPECT_NEAR(share_of(5, 10).high, 0.7634, 0.0001);
  EXPECT_DOUBLE_EQ(share_of(0, 10).low, 0);
  EXPECT_NEAR(share_of(0, 10).high, 0.2775, 0.0001);
  EXPECT_NEAR(share_of(10, 10).low, 0.7225, 0.0001);
  EXPECT_DOUBLE_EQ(share_of(10, 10).high, 1);
  EXPECT_DOUBLE_EQ(share_of(0, 0).high, 1) << "nothing is known";
}

}  // namespace
}  // namespace heddle::cause
