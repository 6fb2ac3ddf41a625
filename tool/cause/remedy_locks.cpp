#include <algorithm>
#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

std::optional<RemedyPart> lock_of_race(const Trace& trace) {
  const TraceFinding& finding = trace.findings.front();
  std::vector<const TracePart*> accesses;
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) accesses.push_back(&part);
  }
  if (finding.kind != FindingKind::kDataRace || accesses.size() != 2) return std::nullopt;
  RemedyPart part;
  part.rule.kind = RuleKind::kLocked;
  part.rule.place = place_of(trace, accesses[0]->pc, accesses[0]->stack);
  part.rule.other = place_of(trace, accesses[1]->pc, accesses[1]->stack);
  part.shown = shown(trace, accesses[0]->pc, accesses[0]->stack, accesses[0]->address);
  part.other_shown = shown(trace, accesses[1]->pc, accesses[1]->stack, accesses[1]->address);
  return part;
}

}  // namespace

// The accesses of one line to one variable are several places, and each may race.
bool try_lock(RemedyTrial& trial) {
  constexpr int kMostRounds = 12;
  std::vector<RemedyPart> parts;
  const Trace* race = &trial.failing();
  for (int round = 0; round < kMostRounds; ++round) {
    const auto part = lock_of_race(*race);
    if (!part || parts.size() == kMostRules) return false;
    const bool known = std::any_of(parts.begin(), parts.end(), [&](const RemedyPart& other) {
      return other.rule.place == part->rule.place && other.rule.other == part->rule.other;
    });
    if (known) return false;
    parts.push_back(*part);
    trial.forget_last_failure();
    if (trial.helps(parts)) return trial.accept(RemedyKind::kLock, parts);
    if (!trial.last_failure()) return false;
    race = &*trial.last_failure();
  }
  return false;
}

bool try_locks_together(RemedyTrial& trial) {
  const TraceFinding& finding = trial.failing().findings.front();
  if (finding.kind != FindingKind::kDeadlock) return false;
  std::vector<RemedyPart> parts;
  for (const TracePart& waits : finding.parts) {
    if (waits.role != PartRole::kBlockedThread) continue;
    const TraceEvent* holds = nullptr;
    for (const TraceEvent& event : trial.failing().events) {
      const bool in_cycle = std::any_of(finding.parts.begin(), finding.parts.end(), [&](const TracePart& p) {
        return p.role == PartRole::kBlockedThread && p.address == event.address && p.thread != waits.thread;
      });
      if (takes_lock(event.kind) && in_cycle && event.thread == waits.thread) holds = &event;
    }
    if (holds == nullptr) return false;
    parts.push_back(stretch(trial.failing(), *holds, waits.pc, waits.stack, waits.address));
    parts.back().other_shown.event.kind = EventKind::kMutexLock;
  }
  return !parts.empty() && trial.helps(parts) && trial.accept(RemedyKind::kTogether, parts);
}

}  // namespace heddle::cause
