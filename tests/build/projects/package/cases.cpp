#include <gtest/gtest.h>

TEST(Suite, Passes) {}
TEST(Suite, Fails) { FAIL(); }
TEST(Suite, DISABLED_IsNotRun) { FAIL(); }

class Values : public ::testing::TestWithParam<int> {};
TEST_P(Values, Small) { EXPECT_LT(GetParam(), 3); }
INSTANTIATE_TEST_SUITE_P(All, Values, ::testing::Values(1, 2, 3));
