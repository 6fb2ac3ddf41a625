#include "tool/cause/long_matches.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle::cause {
namespace {

std::string common(const std::string& a, const std::string& b, std::size_t most_edits = 100) {
  std::string text;
  std::size_t next_a = 0, next_b = 0;
  for (const auto& [i, k] : long_matches(a.size(), b.size(), most_edits,
                                         [&](std::size_t x, std::size_t y) { return a[x] == b[y]; })) {
    EXPECT_EQ(a[i], b[k]);
    EXPECT_GE(i, next_a);
    EXPECT_GE(k, next_b);
    next_a = i + 1;
    next_b = k + 1;
    text += a[i];
  }
  return text;
}

TEST(LongMatches, FindALongestCommonSubsequence) {
  EXPECT_EQ(common("abc", "abc"), "abc");
  EXPECT_EQ(common("abcd", "bd"), "bd");
  EXPECT_EQ(common("bd", "abcd"), "bd");
  EXPECT_EQ(common("xaybzc", "abc"), "abc");
  EXPECT_EQ(common("abcabba", "cbabac").size(), 4u);  // the paper's example
  EXPECT_EQ(common("abc", "xyz"), "");
  EXPECT_EQ(common("", "abc"), "");
}

TEST(LongMatches, GiveUpWhereVeryMuchDiffers) {
  EXPECT_EQ(common("abcdef", "abxyzf", 6), "abf");
  EXPECT_EQ(common("abcdef", "abxyzf", 5), "");
}

TEST(LongMatches, TakeLongSequencesThatDifferLittle) {
  std::string a, b;
  for (int i = 0; i < 20'000; ++i) {
    const char letter = static_cast<char>('a' + i * i % 23);
    if (i % 997 != 0) a += letter;
    if (i % 1009 != 0) b += letter;
  }
  EXPECT_GE(common(a, b).size(), 19'950u);
}

}  // namespace
}  // namespace heddle::cause
