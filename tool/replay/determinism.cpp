#include "tool/replay/determinism.h"

#include <fmt/core.h>

#include "tool/replay/replay.h"
#include "tool/run/free_run.h"

namespace heddle::replay {
namespace {

// Between two recorded runs: event by event, then whatever else there is.
std::string compare(const run::SingleRun& a, const run::SingleRun& b) {
  std::string difference = first_difference(a.trace, b.trace);
  if (difference.empty() && a.trace.choices != b.trace.choices) difference = "the choices differ.";
  if (difference.empty()) difference = run::difference_of(a.result, b.result);
  return difference;
}

}  // namespace

Result<Determinism> verify_determinism(const run::Target& target, const RunSpec& spec,
                                       std::uint64_t executions) {
  Determinism verdict;
  for (std::uint64_t i = 0; i < executions && verdict.divergence.empty(); ++i) {
    run::SingleOptions options;
    options.index = i;
    options.symbolise = false;
    auto free = run::run_free(target, spec, options);
    if (!free) return free.error();
    auto recorded = run::run_single(target, spec, options);
    if (!recorded) return recorded.error();
    // By the choices of the one that was not recorded: what is found is replayed by those.
    RunSpec exact = spec;
    exact.replay = ReplayKind::kExact;
    run::SingleOptions by_choices = options;
    by_choices.replay = free->choices;
    auto replayed = run::run_single(target, exact, by_choices);
    if (!replayed) return replayed.error();
    ++verdict.executions;
    std::string difference = compare(*recorded, *replayed);
    const std::string unlike_free = run::difference_of(free->result, recorded->result);
    if (difference.empty() && unlike_free.empty()) continue;
    auto is_own = run::is_difference_of_recording(target, spec, options, free->result, recorded->result);
    if (!is_own) return is_own.error();
    verdict.is_own = *is_own;
    if (difference.empty()) difference = "when its events are recorded " + unlike_free + ".";
    if (verdict.is_own) {
      verdict.divergence = fmt::format(
          "Execution {} ran differently when it was run again: {} It does so each time: that is a fault of "
          "heddle's own, not of the program. Please report it.",
          i, difference);
    } else {
      verdict.divergence = fmt::format(
          "Execution {} ran differently when it was run again: {} The program depends on something outside "
          "heddle's control: a file, another process, uninitialised memory, or an address that moved.",
          i, difference);
    }
  }
  return verdict;
}

}  // namespace heddle::replay
