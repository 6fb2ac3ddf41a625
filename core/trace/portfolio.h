// The members of the strategy `auto`, by number: what the runtime runs and the tool reports.
#pragma once

#include <cstdint>
#include <span>

#include "core/trace/learning.h"

namespace heddle {

// Each is a strategy as a user would write it.
inline constexpr const char* kPortfolio[] = {
    "random",        "pctwm:d=0", "pctwm:d=1,h=1", "pctwm:d=2,h=1", "pctwm:d=2,h=2", "pctwm:d=3,h=2",
    "pctwm:d=5,h=4", "pct:d=2",   "pct:d=3",       "pct:d=5",       "pos",           "surw",
    "surwm",         "places",    "greybox",       "delays",        "exhaustive",
};
inline constexpr std::uint32_t kPortfolioSize = sizeof kPortfolio / sizeof kPortfolio[0];
inline constexpr std::uint32_t kPortfolioExhaustive = kPortfolioSize - 1;
static_assert(kPortfolioSize <= kMostMembers);

}  // namespace heddle
