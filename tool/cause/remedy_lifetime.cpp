// Remedies of what ended too early: wait for the threads that still use it, or keep it for them.
#include <algorithm>
#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

bool ends_life(const TracePart& part) {
  return part.role == PartRole::kFreed || part.role == PartRole::kDestroyed ||
         part.role == PartRole::kThreadEnded || part.access == AccessKind::kFree ||
         part.access == AccessKind::kDestruction || part.access == AccessKind::kThreadEnd;
}

bool uses(const TracePart& part) {
  return part.role == PartRole::kHere || part.role == PartRole::kAccess ||
         part.role == PartRole::kPreviousAccess || part.role == PartRole::kBlockedThread ||
         part.role == PartRole::kWaits || part.role == PartRole::kHolds;
}

struct Lifetime {
  const TracePart* end = nullptr;
  const TracePart* use = nullptr;
};

// The end may be what is wrong itself: the destruction of a mutex that is held.
std::optional<Lifetime> lifetime_of(const TraceFinding& finding) {
  Lifetime found;
  for (const TracePart& part : finding.parts) {
    if (found.end == nullptr && ends_life(part)) found.end = &part;
  }
  const bool destroys =
      finding.kind == FindingKind::kMutexMisuse || finding.kind == FindingKind::kCondMisuse ||
      finding.kind == FindingKind::kRwlockMisuse || finding.kind == FindingKind::kBarrierMisuse ||
      finding.kind == FindingKind::kSemaphoreMisuse;
  if (found.end == nullptr && destroys &&
      (finding.message.starts_with("destruction of") || finding.message.starts_with("free of"))) {
    for (const TracePart& part : finding.parts) {
      if (part.role == PartRole::kHere) found.end = &part;
    }
  }
  if (found.end == nullptr) return std::nullopt;
  for (const TracePart& part : finding.parts) {
    if (found.use == nullptr && &part != found.end && uses(part) && part.thread != found.end->thread)
      found.use = &part;
  }
  if (found.use == nullptr) return std::nullopt;
  return found;
}

}  // namespace

Proposals propose_longer_life(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const auto lifetime = lifetime_of(trace.findings.front());
  if (!lifetime) return {};
  const auto& [end, use] = *lifetime;
  Proposals proposals;
  RemedyPart part;
  part.rule.place = place_of(trace, end->pc, end->stack);
  part.shown = shown(trace, end->pc, end->stack, end->address);
  // The thread that ends it does not end before the threads that it has started, or that others have.
  if (const TraceEvent* created = creation_of(trace, use->thread)) {
    RemedyPart wait = part;
    wait.rule.kind = RuleKind::kAfterEnd;
    wait.rule.other = place_of(trace, *created);
    wait.other_shown = shown(trace, *created);
    proposals.push_back({RemedyKind::kJoinBefore, {wait}, {end->pc}, false});
  }
  RemedyPart after = part;
  after.rule.kind = RuleKind::kAfter;
  after.rule.other = place_of(trace, use->pc, use->stack);
  after.other_shown = shown(trace, use->pc, use->stack, use->address);
  proposals.push_back({RemedyKind::kKeepAlive, {after}, {end->pc, use->pc}, false});
  RemedyPart keep = part;
  keep.rule.kind = RuleKind::kKeep;
  keep.other_shown = after.other_shown;
  proposals.push_back({RemedyKind::kKeepAlive, {keep}, {}, false});
  return proposals;
}

bool add_longer_life(const Trace& failure, Proposal& proposal) {
  const bool is_for_lifetime =
      proposal.kind == RemedyKind::kKeepAlive || proposal.kind == RemedyKind::kJoinBefore;
  if (!is_for_lifetime || proposal.parts.size() == kMostRules) return false;
  const auto lifetime = lifetime_of(failure.findings.front());
  if (!lifetime) return false;
  const auto& [end, use] = *lifetime;
  RemedyPart more = proposal.parts.front();
  more.rule.place = place_of(failure, end->pc, end->stack);
  more.shown = shown(failure, end->pc, end->stack, end->address);
  if (proposal.kind == RemedyKind::kKeepAlive)
    more.other_shown = shown(failure, use->pc, use->stack, use->address);
  if (more.rule.kind == RuleKind::kAfter) {
    more.rule.other = place_of(failure, use->pc, use->stack);
    proposal.turns.insert(proposal.turns.end(), {end->pc, use->pc});
  }
  const bool known = std::any_of(proposal.parts.begin(), proposal.parts.end(), [&](const RemedyPart& part) {
    return part.rule.place == more.rule.place && part.rule.other == more.rule.other;
  });
  if (!known) proposal.parts.push_back(std::move(more));
  return !known;
}

}  // namespace heddle::cause
