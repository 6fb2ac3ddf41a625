#include "tool/replay/determinism.h"

#include <fmt/core.h>

#include "tool/replay/replay.h"

namespace heddle::replay {

int verify_determinism(const run::Target& target, const RunSpec& spec, std::uint64_t executions) {
  for (std::uint64_t i = 0; i < executions; ++i) {
    run::SingleOptions options;
    options.index = i;
    options.symbolise = false;
    auto first = run::run_single(target, spec, options);
    if (!first) {
      fmt::print(stderr, "heddle: {}\n", first.error().message);
      return static_cast<int>(first.error().code);
    }
    auto second = run::run_single(target, spec, options);
    if (!second) {
      fmt::print(stderr, "heddle: {}\n", second.error().message);
      return static_cast<int>(second.error().code);
    }
    std::string difference = first_difference(first->trace, second->trace);
    if (difference.empty() && first->trace.choices != second->trace.choices) difference = "the choices differ";
    if (difference.empty() && first->result.trace_hash != second->result.trace_hash) difference = "the values read differ";
    if (!difference.empty()) {
      fmt::print(stderr,
                 "heddle: not deterministic: execution {} ran differently the second time: {}.\n"
                 "The program depends on something outside heddle's control: a file, another process, uninitialised "
                 "memory, or an address that moved.\n",
                 i, difference);
      return static_cast<int>(ExitCode::kInconclusive);
    }
  }
  fmt::print(stderr, "heddle: deterministic: {} executions ran twice, event for event the same\n", executions);
  return 0;
}

}  // namespace heddle::replay
