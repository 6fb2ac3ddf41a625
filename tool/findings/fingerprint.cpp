#include "tool/findings/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/random.h"
#include "tool/trace/stack_view.h"
#include "tool/trace/test_failure.h"

namespace heddle {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string place_of(const Trace& trace, const TracePart& part) {
  const std::vector<Frame> frames = visible_frames(trace, part.pc, part.stack);
  const Frame* frame = deciding_frame(frames);
  if (frame == nullptr) return "?";
  if (frame->line != 0) {
    // A line relative to its function survives edits above the function.
    const bool inside = frame->function_line != 0 && frame->line >= frame->function_line;
    return fmt::format("{}|{}|{}{}", frame->function, base_name(frame->file), inside ? "+" : "",
                       inside ? frame->line - frame->function_line : frame->line);
  }
  if (!frame->function.empty()) {
    return fmt::format("{}|{}|+{:#x}", frame->function, base_name(frame->module), frame->function_offset);
  }
  return fmt::format("|{}|{:#x}", base_name(frame->module), frame->module.empty() ? 0 : frame->offset);
}

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ull;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return mix(hash, text.size());
}

// Which check it was. What values it saw is chance.
std::string place_of_check(const Trace& trace) {
  const auto failure = first_test_failure(trace.output);
  return failure ? fmt::format("{}|{}|{}", failure->test, base_name(failure->file), failure->line) : "";
}

// Messages are part of the identity only where the place is not: an exit status has no place.
bool message_counts(const TraceFinding& finding, const std::vector<const TracePart*>& parts) {
  return parts.empty() || finding.kind == FindingKind::kReported ||
         finding.kind == FindingKind::kNotLinearizable;
}

// The first line names the object and what it did wrong; the history after it is another one each time.
std::string lasting_message(const TraceFinding& finding) {
  if (finding.kind != FindingKind::kNotLinearizable) return finding.message;
  return finding.message.substr(0, finding.message.find('\n'));
}

}  // namespace

std::vector<const TracePart*> deciding_parts(const TraceFinding& finding) {
  std::vector<const TracePart*> parts;
  for (const TracePart& part : finding.parts) {
    switch (part.role) {
      case PartRole::kHere:
      case PartRole::kAccess:
      case PartRole::kPreviousAccess:
      case PartRole::kBlockedThread:
        parts.push_back(&part);
        break;
      case PartRole::kWaits:
        if (finding.kind == FindingKind::kLostWakeUp) parts.push_back(&part);
        break;
      case PartRole::kThreadCreated:
        if (finding.kind == FindingKind::kThreadLeak) parts.push_back(&part);
        break;
      case PartRole::kHolds:
        if (finding.kind == FindingKind::kLockOrderInversion) parts.push_back(&part);
        break;
      default:
        break;
    }
  }
  return parts;
}

std::string fingerprint(const Trace& trace, const TraceFinding& finding) {
  const std::vector<const TracePart*> parts = deciding_parts(finding);
  std::vector<std::string> places;
  for (const TracePart* part : parts) places.push_back(place_of(trace, *part));
  // Which access came second and which thread of a cycle was found first is chance.
  std::sort(places.begin(), places.end());
  // How many threads did the same there is chance, too.
  if (finding.kind == FindingKind::kDeadlock || finding.kind == FindingKind::kLivelock ||
      finding.kind == FindingKind::kThreadLeak) {
    places.erase(std::unique(places.begin(), places.end()), places.end());
  }
  std::string identity = to_string(finding.kind);
  for (const std::string& place : places) identity += "\n" + place;
  if (finding.kind == FindingKind::kSignal) identity += fmt::format("\nsignal {}", finding.signal);
  if (finding.kind == FindingKind::kNonZeroExit) identity += fmt::format("\nstatus {}", finding.exit_status);
  if (finding.kind == FindingKind::kTestFailure) {
    identity += "\n" + place_of_check(trace);
  } else if (message_counts(finding, parts))
    identity += "\n" + lasting_message(finding);
  return fmt::format("{:016x}", hash_of(identity));
}

void put_first(Trace& trace, const std::string& wanted) {
  const auto bug = std::ranges::find_if(
      trace.findings, [&](const TraceFinding& finding) { return fingerprint(trace, finding) == wanted; });
  if (bug != trace.findings.end()) std::rotate(trace.findings.begin(), bug, bug + 1);
}

}  // namespace heddle
