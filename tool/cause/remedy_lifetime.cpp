// Remedies of what ended too early: wait for the threads that still use it, or keep it for them.
#include <algorithm>
#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/footprint.h"
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

// The thread that uses a descriptor last besides the one that closes it. Where nobody was seen to, it is the one that
// failed: a call on what is closed fails at once, and is no event.
std::optional<ShownOperation> use_of_descriptor(const Trace& trace, const std::vector<Footprint>& footprints,
                                                std::size_t close) {
  const ThreadId closer = trace.events[close].thread;
  for (std::size_t i = trace.events.size(); i-- > 0;) {
    if (trace.events[i].thread != closer && footprints[i].overlaps(footprints[close]))
      return shown(trace, trace.events[i]);
  }
  for (const TracePart& part : trace.findings.front().parts) {
    if (part.role != PartRole::kHere || part.thread == closer) continue;
    ShownOperation use = shown(trace, part.pc, part.stack, part.address);
    use.event.thread = part.thread;
    return use;
  }
  return std::nullopt;
}

// What is closed while another thread uses it.
void add_descriptors(const Trace& trace, Proposals& proposals) {
  constexpr std::size_t kMost = 4;
  const std::vector<Footprint> footprints = footprints_of(trace);
  for (std::size_t i = trace.events.size(); i-- > 0 && proposals.size() < kMost;) {
    const TraceEvent& close = trace.events[i];
    if (close.kind != EventKind::kBlockingCall || !trace.text_of(close).ends_with("close")) continue;
    const auto use = use_of_descriptor(trace, footprints, i);
    const TraceEvent* created = use ? creation_of(trace, use->event.thread) : nullptr;
    if (created == nullptr) continue;
    RemedyPart part;
    part.rule.kind = RuleKind::kAfterEnd;
    part.rule.place = place_of(trace, close);
    part.rule.other = place_of(trace, *created);
    part.shown = shown(trace, close);
    part.other_shown = shown(trace, *created);
    part.first_access = *use;
    proposals.push_back({RemedyKind::kJoinBefore, {std::move(part)}, {}, false});
  }
}

// One destruction frees several blocks: what holds for one of them holds for all.
void add_frees_along(const Trace& trace, ThreadId thread, Proposal& proposal) {
  const RemedyPart front = proposal.parts.front();
  for (const TraceEvent& e : trace.events) {
    if (e.kind != EventKind::kFree || e.thread != thread || proposal.parts.size() == kMostRules) continue;
    const CodePlace place = place_of(trace, e);
    const bool known = std::any_of(proposal.parts.begin(), proposal.parts.end(),
                                   [&](const RemedyPart& other) { return other.rule.place == place; });
    if (known || !is_same_line(shown_end(trace, e.pc, e.stack, e.address).frame, front.shown.frame)) continue;
    RemedyPart part = front;
    part.rule.place = place;
    proposal.parts.push_back(std::move(part));
    if (!proposal.turns.empty()) proposal.turns.push_back(e.pc);
  }
}

}  // namespace

Proposals propose_longer_life(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const auto lifetime = lifetime_of(trace.findings.front());
  Proposals proposals;
  if (!lifetime) {
    add_descriptors(trace, proposals);
    return proposals;
  }
  const auto& [end, use] = *lifetime;
  RemedyPart part;
  part.rule.place = place_of(trace, end->pc, end->stack);
  part.shown = shown_end(trace, end->pc, end->stack, end->address);
  const ShownOperation used = shown(trace, use->pc, use->stack, use->address);
  // The thread that ends it does not end before the threads that it has started, or that others have.
  if (const TraceEvent* created = creation_of(trace, use->thread)) {
    RemedyPart wait = part;
    wait.rule.kind = RuleKind::kAfterEnd;
    wait.rule.other = place_of(trace, *created);
    wait.other_shown = shown(trace, *created);
    wait.first_access = used;
    proposals.push_back({RemedyKind::kJoinBefore, {wait}, {end->pc}, false});
  }
  RemedyPart after = part;
  after.rule.kind = RuleKind::kAfter;
  after.rule.other = place_of(trace, use->pc, use->stack);
  after.other_shown = used;
  proposals.push_back({RemedyKind::kKeepAlive, {after}, {end->pc, use->pc}, false});
  RemedyPart keep = part;
  keep.rule.kind = RuleKind::kKeep;
  keep.other_shown = used;
  proposals.push_back({RemedyKind::kKeepAlive, {keep}, {}, false});
  for (Proposal& proposal : proposals) add_frees_along(trace, end->thread, proposal);
  return proposals;
}

}  // namespace heddle::cause
