#include "tool/replay/determinism.h"

#include <fmt/core.h>

#include "tool/replay/replay.h"

namespace heddle::replay {

Result<Determinism> verify_determinism(const run::Target& target, const RunSpec& spec,
                                       std::uint64_t executions) {
  Determinism verdict;
  for (std::uint64_t i = 0; i < executions && verdict.divergence.empty(); ++i) {
    run::SingleOptions options;
    options.index = i;
    options.symbolise = false;
    auto first = run::run_single(target, spec, options);
    if (!first) return first.error();
    auto second = run::run_single(target, spec, options);
    if (!second) return second.error();
    ++verdict.executions;
    std::string difference = first_difference(first->trace, second->trace);
    if (difference.empty() && first->trace.choices != second->trace.choices)
      difference = "the choices differ";
    if (difference.empty() && first->result.trace_hash != second->result.trace_hash)
      difference = "the values read differ";
    if (difference.empty()) continue;
    verdict.divergence = fmt::format(
        "Execution {} ran differently the second time: {}. The program depends on something outside heddle's "
        "control: a "
        "file, another process, uninitialised memory, or an address that moved.",
        i, difference);
  }
  return verdict;
}

}  // namespace heddle::replay
