#include "tool/cli/run_values.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/base/text_buffer.h"
#include "core/trace/strategy_spec.h"
#include "tool/cli/help_text.h"
#include "tool/cli/suggest.h"
#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

// Where the summaries of strategies begin.
constexpr std::size_t kStrategyColumns = 14;

// `parameters` begins with the colon. `why` is what the parser said, which has no suggestions.
Error wrong_parameter(const StrategyKind& kind, std::string_view parameters, const std::string& why) {
  std::vector<std::string> known;
  for (const StrategyParameter& p : kind.parameters) {
    if (p.key != nullptr) known.emplace_back(p.key);
  }
  while (!parameters.empty()) {
    parameters.remove_prefix(1);  // ":" or ","
    const std::string key(parameters.substr(0, parameters.find_first_of("=,")));
    if (std::find(known.begin(), known.end(), key) == known.end())
      return {fmt::format(
          "the strategy '{}' has no parameter '{}'.{} {}", kind.name, key, did_you_mean(key, known),
          known.empty() ? "It has none." : fmt::format("It has {}.", fmt::join(known, ", ")))};
    parameters.remove_prefix(std::min(parameters.find(','), parameters.size()));
  }
  return {why};
}

}  // namespace

std::string strategy_help() {
  std::string text;
  for (const StrategyKind& kind : strategy_kinds()) {
    text += "\n" + report::padded(fmt::format("  {}", kind.name), kStrategyColumns) +
            wrapped(kind.summary, kStrategyColumns, kStrategyColumns) + "\n";
    for (const StrategyParameter& p : kind.parameters) {
      if (p.key == nullptr) continue;
      const std::string name = fmt::format("{}=N  ", p.key);
      const std::size_t indent = kStrategyColumns + name.size();
      text += std::string(kStrategyColumns, ' ') + name + wrapped(p.meaning, indent, indent) + "\n";
    }
  }
  return text;
}

Result<std::string> check_strategy(const std::string& text) {
  if (text.size() >= sizeof RunSpec::strategy) return Error{"The strategy's parameters are too long."};
  StrategySpec parsed;
  TextBuffer<512> error;
  if (parsed.parse(text.c_str(), error)) return text;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  std::vector<std::string> names;
  for (const StrategyKind& kind : strategy_kinds()) {
    if (kind.name == name) return wrong_parameter(kind, text.substr(colon), error.c_str());
    names.emplace_back(kind.name);
  }
  return Error{fmt::format("there is no strategy '{}'.{} `heddle help strategies` explains them: {}.", name,
                           did_you_mean(name, names), fmt::join(names, ", "))};
}

void set_strategy(const std::string& text, RunSpec& spec) {
  std::memset(spec.strategy, 0, sizeof spec.strategy);
  std::strncpy(spec.strategy, text.c_str(), sizeof spec.strategy - 1);
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
