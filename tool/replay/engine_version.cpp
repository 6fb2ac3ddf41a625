#include "tool/replay/engine_version.h"

#include <utility>

#include "tool/program/program_elf.h"
#include "tool/replay/replay.h"

namespace heddle::replay {
namespace {

std::string engine_of(const Trace& trace) {
  for (const TraceModule& module : trace.modules) {
    if (is_engine(module)) return module.build_id;
  }
  return {};
}

// `now`: the build id of the libheddle.so here; empty: not known.
std::string other_than(const Trace& original, const std::string& version, const std::string& now) {
  const std::string then = engine_of(original);
  const bool same_library = then.empty() || now.empty() || then == now;
  if (same_library && original.tool_version == version) return {};
  std::string text =
      "heddle " + (original.tool_version.empty() ? "of an unknown version" : original.tool_version);
  if (!same_library) text += " (its libheddle.so has the build id " + then + ")";
  return text;
}

}  // namespace

bool is_engine(const TraceModule& module) {
  return module.path.substr(module.path.rfind('/') + 1).starts_with("libheddle.so");
}

std::string other_engine(const Trace& original, const Trace& now) {
  return other_than(original, now.tool_version, engine_of(now));
}

std::string followed_text(const std::string& other_engine) {
  return "The artifact was made by " + other_engine +
         ". This is heddle " HEDDLE_VERSION
         ", which does not make the same choices; those of the artifact were followed as far as they fit.";
}

std::string refused_text(const std::string& other_engine) {
  return "The artifact was made by " + other_engine +
         ", and this is heddle " HEDDLE_VERSION
         ": replay it with the version that made it, or search again with this one (heddle run).";
}

Result<Trace> in_this_engine(const run::Target& target, Trace original, std::vector<std::string>& notes) {
  const auto library = ElfFile::open(target.library);
  const std::string other =
      other_than(original, HEDDLE_VERSION, library ? library->build_id() : std::string());
  if (other.empty()) return original;
  auto outcome = replay(target, original, {});
  if (!outcome) return outcome.error();
  if (!outcome->reproduced)
    return Error{"The bug was not reproduced. " + refused_text(other), ExitCode::kInconclusive};
  if (outcome->guided) notes.push_back(followed_text(other));
  outcome->trace.spec = original.spec;
  return std::move(outcome->trace);
}

}  // namespace heddle::replay
