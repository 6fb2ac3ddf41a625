#include "runtime/strategy/registry.h"

#include <gtest/gtest.h>

namespace heddle::strategy {
namespace {

TEST(Registry, KnowsItsStrategiesWithAndWithoutParameters) {
  for (const char* text : {"auto", "random", "pct:d=2,k=9", "dpct", "pctwm:h=2", "pos", "surw", "surwm",
                           "places", "delays", "greybox", "auto:without=3", "exhaustive"})
    EXPECT_NE(make_strategy(text), nullptr) << text;
}

TEST(Registry, RefusesOtherNames) {
  for (const char* text : {"", "rand", "randomly", "Random", ":random", " random", "random:x=1", "pct:d=0"})
    EXPECT_EQ(make_strategy(text), nullptr) << text;
}

}  // namespace
}  // namespace heddle::strategy
