#include "core/trace/strategy_spec.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

std::string error_of(const char* text) {
  StrategySpec spec;
  TextBuffer<512> error;
  return spec.parse(text, error) ? std::string() : std::string(error.c_str());
}

TEST(StrategySpec, ReadsNamesAndParameters) {
  StrategySpec spec;
  TextBuffer<512> error;
  ASSERT_TRUE(spec.parse("pctwm:h=3,d=0", error)) << error.c_str();
  EXPECT_TRUE(spec.is("pctwm"));
  EXPECT_FALSE(spec.is("pct"));
  EXPECT_EQ(spec.value("d", 7), 0u);
  EXPECT_EQ(spec.value("h", 7), 3u);
  EXPECT_EQ(spec.value("k", 7), 7u);
  EXPECT_FALSE(spec.has("k"));
}

TEST(StrategySpec, EveryNameIsAStrategy) {
  for (const StrategyKind& kind : strategy_kinds()) EXPECT_EQ(error_of(kind.name), "") << kind.name;
}

TEST(StrategySpec, SaysWhatIsWrong) {
  EXPECT_NE(error_of("magic").find("'magic'. Known: auto, random, pct"), std::string::npos);
  EXPECT_NE(error_of("pct:depth=3").find("Unknown parameter 'depth'"), std::string::npos);
  EXPECT_NE(error_of("pct:d").find("No value"), std::string::npos);
  EXPECT_NE(error_of("pct:d=").find("not ''"), std::string::npos);
  EXPECT_NE(error_of("pct:d=1x").find("not '1x'"), std::string::npos);
  EXPECT_NE(error_of("pct:d=65").find("from 1 to 64"), std::string::npos);
  EXPECT_NE(error_of("pct:d=99999999999999999999").find("from 1 to 64"), std::string::npos);
  EXPECT_NE(error_of("pct:d=1,").find("Unknown parameter ''"), std::string::npos);
  EXPECT_NE(error_of("pos:x=1").find("no parameters"), std::string::npos);
}

}  // namespace
}  // namespace heddle
