#include "tool/cli/run_values.h"

#include <fmt/core.h>

#include <cstring>

#include "core/base/text_buffer.h"
#include "core/trace/strategy_spec.h"

namespace heddle::cli {

std::string strategy_help() {
  std::string text = "how executions are chosen [auto]:\n";
  for (const StrategyKind& kind : strategy_kinds()) {
    text += fmt::format("  {:<11}{}\n", kind.name, kind.summary);
    for (const StrategyParameter& p : kind.parameters) {
      if (p.key != nullptr) text += fmt::format("             {}=N  {}\n", p.key, p.meaning);
    }
  }
  return text + "for example -s pctwm:d=2,h=1";
}

Status set_strategy(const std::string& text, RunSpec& spec) {
  if (text.size() >= sizeof spec.strategy) return Error{"The strategy's parameters are too long."};
  StrategySpec parsed;
  TextBuffer<512> error;
  if (!parsed.parse(text.c_str(), error)) return Error{error.c_str()};
  std::strncpy(spec.strategy, text.c_str(), sizeof spec.strategy - 1);
  return Done{};
}

Status set_trusted_libraries(const std::vector<std::string>& names, RunSpec& spec) {
  std::string lines;
  for (const std::string& name : names) {
    if (name.empty() || name.find('\n') != std::string::npos)
      return Error{"--trust-library needs the name of a library, or a part of it."};
    lines += (lines.empty() ? "" : "\n") + name;
  }
  if (names.size() > kMaxTrustedLibraries || lines.size() >= sizeof spec.trusted_libraries) {
    return Error{fmt::format("--trust-library takes at most {} names of {} characters together.",
                             kMaxTrustedLibraries, sizeof spec.trusted_libraries - 1)};
  }
  std::strncpy(spec.trusted_libraries, lines.c_str(), sizeof spec.trusted_libraries - 1);
  return Done{};
}

}  // namespace heddle::cli
