// A search that thinks, and beside it, in turns, executions that only try. So the search finds no less than `heddle
// run` does in the same time, but for its own share of it, and finds what takes thought as well. Where there is a log,
// half of the thinking is a hunt along its paths (tool/search/guided_hunt.h).
#pragma once

#include <functional>
#include <optional>

#include "tool/run/hunt.h"

namespace heddle::cli {

// Slices of the two. With these, what trying takes T seconds to find is found after 2 + 1.2 T at the latest.
inline constexpr double kThinkingSeconds = 2;
inline constexpr double kTryingSeconds = 10;

struct HuntOptions {
  run::WantedFailure wanted;
  std::vector<int> allowed_exits;
  RunSpec spec;
  std::function<void(const report::Progress&)> on_progress;
  bool tries = true;  // no: only what thinking leads to is executed
};

struct HuntOutcome {
  std::optional<run::FoundBug> bug;  // found by trying
  std::uint64_t executions = 0;      // that only tried
};

enum class Thought : std::uint8_t {
  kNothing,  // trying goes on alone
  kEnough,   // something was found, or it makes no sense to go on
};

// `think` is called once, in a thread of its own, and is told to end (run::time_is_up()) when trying has found
// something. So is `along`, which hunts along a log's paths; empty: nobody does. All go on until one of them has enough,
// or the time is up.
HuntOutcome search_and_hunt(const run::Target& target, const HuntOptions& options,
                            const std::function<Thought()>& think,
                            const std::function<Thought()>& along = {});

}  // namespace heddle::cli
