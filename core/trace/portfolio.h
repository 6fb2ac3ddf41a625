// The members of the strategy `auto`, by number: what the runtime runs and the tool reports.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

// How many members run the same strategy, with other parameters.
consteval std::uint32_t portfolio_kin(std::uint32_t member) {
  const auto strategy_of = [](std::string_view text) { return text.substr(0, text.find(':')); };
  std::uint32_t kin = 0;
  for (const char* other : kPortfolio) kin += strategy_of(other) == strategy_of(kPortfolio[member]) ? 1 : 0;
  return kin;
}

// By which a member is named to `auto:without=`: from 1. A name that none has does not compile.
consteval std::uint32_t portfolio_number(std::string_view name) {
  std::uint32_t at = 0;
  while (kPortfolio[at] != name) ++at;
  return at + 1;
}

}  // namespace heddle
