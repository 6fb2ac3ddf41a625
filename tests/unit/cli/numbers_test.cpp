#include <gtest/gtest.h>

#include "tool/cli/terminal.h"

namespace heddle::cli {
namespace {

TEST(ParseDuration, Units) {
  for (const auto& [text, seconds] : {std::pair{"30s", 30.0},
                                      {"30", 30.0},
                                      {"5m", 300.0},
                                      {"5min", 300.0},
                                      {"2h", 7200.0},
                                      {"250ms", 0.25},
                                      {"1.5s", 1.5},
                                      {"0s", 0.0}}) {
    const auto result = parse_duration(text);
    ASSERT_TRUE(result) << text;
    EXPECT_DOUBLE_EQ(*result, seconds) << text;
  }
}

TEST(ParseDuration, RefusesOtherTextAndSaysWhatToWrite) {
  for (const char* text : {"", "s", "-1s", "5 apples", "5x", "inf", "nan", "1s2", "1m30s", "--"}) {
    const auto result = parse_duration(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().message.find("30s"), std::string::npos) << text;
    EXPECT_EQ(result.error().code, ExitCode::kBadInput);
  }
}

TEST(ParseSize, Units) {
  for (const auto& [text, bytes] : {std::pair{"0", 0ull},
                                    {"512", 512ull},
                                    {"4k", 4096ull},
                                    {"4K", 4096ull},
                                    {"4KB", 4096ull},
                                    {"512M", 512ull << 20},
                                    {"512 MB", 512ull << 20},
                                    {"2G", 2ull << 30},
                                    {"1.5G", 3ull << 29}}) {
    const auto result = parse_size(text);
    ASSERT_TRUE(result) << text;
    EXPECT_EQ(*result, bytes) << text;
  }
}

TEST(ParseSize, RefusesOtherText) {
  for (const char* text : {"", "M", "-1", "12X", "1e30", "inf", "nan", "1M1"})
    EXPECT_FALSE(parse_size(text)) << text;
}

}  // namespace
}  // namespace heddle::cli
