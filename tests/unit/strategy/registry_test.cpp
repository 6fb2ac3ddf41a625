#include "runtime/strategy/registry.h"

#include <gtest/gtest.h>

namespace heddle::strategy {
namespace {

TEST(Registry, KnowsItsStrategiesWithAndWithoutParameters) {
  for (const char* text : {"auto", "random", "random:x=1"}) EXPECT_NE(make_strategy(text), nullptr) << text;
}

TEST(Registry, RefusesOtherNames) {
  for (const char* text : {"", "rand", "randomly", "Random", ":random", " random"})
    EXPECT_EQ(make_strategy(text), nullptr) << text;
}

}  // namespace
}  // namespace heddle::strategy
