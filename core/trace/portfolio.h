// The strategy `auto`: its members, its plan for the first executions, and the constants by which it shares
// out the others. The runtime runs what the tool reports. Each fixed choice names the measurement that it
// comes from: sections of docs/measurements/strategies.md in quotes. docs/design/strategies.md has the
// method.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "core/trace/learning.h"

namespace heddle {

// Each is a strategy as a user would write it. `auto:without=` names a member by its place here, counted from
// 1, so that a new one comes at the end, before exhaustive search.
//
// "What a member is worth" has places, greybox, pos, surw, delays and exhaustive left out one by one. Each
// other member, and each depth of pct and pctwm: not measured alone.
inline constexpr const char* kPortfolio[] = {
    "random",          "pctwm:d=0",     "pctwm:d=1,h=1", "pctwm:d=2,h=1",
    "pctwm:d=2,h=2",   "pctwm:d=3,h=2", "pctwm:d=5,h=4", "pct:d=2",
    "pct:d=3",         "pct:d=5",       "pos",           "surw",
    "surwm",           "places",        "greybox",       "delays",
    "random:switch=0", "exhaustive",
};
inline constexpr std::uint32_t kPortfolioSize = sizeof kPortfolio / sizeof kPortfolio[0];
static_assert(kPortfolioSize <= kMostMembers);

// How many members run the same strategy, with other parameters: together they count as one. "100 threads"
// has the figures from before and after, together with those of the early stop.
consteval std::uint32_t portfolio_kin(std::uint32_t member) {
  // (A walk that switches rarely is another strategy than one that always does.)
  const auto strategy_of = [](std::string_view text) {
    return text.starts_with("random:") ? text : text.substr(0, text.find(':'));
  };
  std::uint32_t kin = 0;
  for (const char* other : kPortfolio) kin += strategy_of(other) == strategy_of(kPortfolio[member]) ? 1 : 0;
  return kin;
}

// Where a member stands among the others. A name that none has does not compile.
consteval std::uint32_t portfolio_index(std::string_view name) {
  std::uint32_t at = 0;
  while (kPortfolio[at] != name) ++at;
  return at;
}
// By which a member is named to `auto:without=`.
consteval std::uint32_t portfolio_number(std::string_view name) { return portfolio_index(name) + 1; }

// Members before it are drawn; exhaustive search has its own turn.
inline constexpr std::uint32_t kPortfolioExhaustive = portfolio_index("exhaustive");
static_assert(kPortfolioExhaustive == kPortfolioSize - 1);

// Who runs the first executions: from the shallowest bugs on, and each kind of strategy early. That delays
// comes first and often is measured in "Executions to the first bug of the papers' benchmarks", and what it
// costs others in "Deep bugs". The order of the others: not measured alone.
inline constexpr std::uint32_t kFirstMembers[] = {
    portfolio_index("delays"),        portfolio_index("delays"), portfolio_index("delays"),
    portfolio_index("delays"),        portfolio_index("random"), portfolio_index("delays"),
    portfolio_index("pos"),           portfolio_index("delays"), portfolio_index("pct:d=5"),
    portfolio_index("delays"),        portfolio_index("surwm"),  portfolio_index("pctwm:d=1,h=1"),
    portfolio_index("surw"),          portfolio_index("places"), portfolio_index("random"),
    portfolio_index("pctwm:d=2,h=2"),
};
inline constexpr std::uint64_t kFirstExecutions = std::size(kFirstMembers);

// Exhaustive search may have the executions up to this one, where as many are planned as are worth it. "Deep
// bugs" has what these 128 executions cost on fib_3, and "100 threads" what stopping early has saved. The two
// numbers: not measured alone.
inline constexpr std::uint64_t kProbedExecutions = kFirstExecutions + 128;
inline constexpr std::uint64_t kWorthProbing = 2000;  // executions planned

// Of executions that are drawn. Not measured alone.
inline constexpr double kPortfolioForget = 0.9;  // what a round counts for, against the one after it
inline constexpr double kPortfolioEven = 0.3;    // the part that is shared evenly among strategies

}  // namespace heddle
