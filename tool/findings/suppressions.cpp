#include "tool/findings/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include "tool/trace/stack_view.h"

namespace heddle {
namespace {

using Type = Suppressions::Type;

constexpr std::array<std::pair<std::string_view, Type>, 7> kTypes = {
    {{"race", Type::kRace},
     {"race_top", Type::kRaceTop},
     {"thread", Type::kThread},
     {"mutex", Type::kMutex},
     {"signal", Type::kSignal},
     {"deadlock", Type::kDeadlock},
     {"called_from_lib", Type::kCalledFromLib}}};

// Faults of the libraries that users cannot mend. Each with the place and the reason.
constexpr std::string_view kBuiltIn =
    // libstdc++ up to 13: atomic<shared_ptr>::load unlocks the pointer by a relaxed store, so that what it
    // has read is not ordered before the next writer (bits/shared_ptr_atomic.h, _Sp_atomic::_Atomic_count).
    "race:std::_Sp_atomic<\n"
    // As ThreadSanitizer has them: reference counts of the old, shared std::string.
    "race:^_M_rep$\n"
    "race:^_M_is_leaked$\n";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\f\v";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

bool matches_frame(const std::string& pattern, const Frame& frame) {
  return matches_template(pattern, frame.function) || matches_template(pattern, frame.file) ||
         matches_template(pattern, frame.module);
}

bool is_access(const TracePart& part) {
  return part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
}

bool any_frame(const Trace& trace, const TracePart& part, const std::string& pattern) {
  const std::vector<Frame> frames = frames_of(trace, part.pc, part.stack);
  return std::any_of(frames.begin(), frames.end(),
                     [&](const Frame& frame) { return matches_frame(pattern, frame); });
}

bool matches_global(const Trace& trace, const TracePart& part, const std::string& pattern) {
  if (part.memory != MemoryKind::kGlobal) return false;
  const auto symbol = trace.symbols.data.find(part.address);
  if (symbol == trace.symbols.data.end()) return false;
  return matches_template(pattern, symbol->second.variable) ||
         matches_template(pattern, symbol->second.file) || matches_template(pattern, symbol->second.module);
}

bool suppresses_race(const Trace& trace, const TraceFinding& finding, const Suppressions::Entry& entry) {
  for (const TracePart& part : finding.parts) {
    switch (entry.type) {
      case Type::kRace:
        if ((is_access(part) || part.role == PartRole::kThreadCreated) &&
            any_frame(trace, part, entry.pattern)) {
          return true;
        }
        if ((is_access(part) || part.role == PartRole::kLocation) &&
            matches_global(trace, part, entry.pattern)) {
          return true;
        }
        break;
      case Type::kRaceTop: {
        if (!is_access(part)) break;
        const std::vector<Frame> frames = visible_frames(trace, part.pc, part.stack);
        if (!frames.empty() && matches_frame(entry.pattern, frames.front())) return true;
        break;
      }
      case Type::kCalledFromLib: {
        if (!is_access(part)) break;
        const TraceModule* module = trace.module_at(part.pc - 1);
        if (module != nullptr && matches_template(entry.pattern, module->path)) return true;
        break;
      }
      default:
        return false;
    }
  }
  return false;
}

bool suppresses(const Trace& trace, const TraceFinding& finding, const Suppressions::Entry& entry) {
  const auto anywhere = [&] {
    return std::any_of(finding.parts.begin(), finding.parts.end(),
                       [&](const TracePart& part) { return any_frame(trace, part, entry.pattern); });
  };
  switch (finding.kind) {
    case FindingKind::kDataRace:
      return suppresses_race(trace, finding, entry);
    case FindingKind::kThreadLeak:
      return entry.type == Type::kThread && anywhere();
    case FindingKind::kDeadlock:
    case FindingKind::kLockOrderInversion:
      return entry.type == Type::kDeadlock && anywhere();
    case FindingKind::kMutexMisuse:
    case FindingKind::kRwlockMisuse:
    case FindingKind::kCondMisuse:
    case FindingKind::kBarrierMisuse:
    case FindingKind::kSemaphoreMisuse:
      return entry.type == Type::kMutex && anywhere();
    default:
      return false;
  }
}

}  // namespace

// The literal pieces between stars have to occur in their order, the first at the begin after ^, the last at
// the end before $.
Suppressions::Suppressions() {
  (void)add(kBuiltIn, "built in");
  for (Entry& entry : entries_) entry.built_in = true;
}

Status Suppressions::add(std::string_view text, const std::string& name) {
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    const std::string_view type = line.substr(0, colon);
    const auto known =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& entry) { return entry.first == type; });
    if (colon == std::string_view::npos || known == kTypes.end()) {
      return Error{
          fmt::format("{}:{}: '{}' is no suppression. A line is TYPE:TEMPLATE, and TYPE one of race, "
                      "race_top, thread, mutex, signal, deadlock, called_from_lib.",
                      name, number, line)};
    }
    const std::string_view pattern = line.substr(colon + 1);
    if (pattern.empty()) {
      return Error{
          fmt::format("{}:{}: '{}' has no template after the colon; `{}:*` would suppress everything.", name,
                      number, line, type)};
    }
    entries_.push_back({known->second, std::string(pattern), std::string(line)});
  }
  return Done{};
}

Status Suppressions::add_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{fmt::format("Cannot read the suppressions file {}.", path)};
  std::ostringstream text;
  text << file.rdbuf();
  return add(text.str(), path);
}

Suppressions::Entry* Suppressions::match(const Trace& trace, const TraceFinding& finding) {
  for (Entry& entry : entries_) {
    if (suppresses(trace, finding, entry)) return &entry;
  }
  return nullptr;
}

}  // namespace heddle
