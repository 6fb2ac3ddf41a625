#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/footprint.h"
#include "tool/cause/interruptions.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"
#include "tool/trace/held_locks.h"

namespace heddle::cause {
namespace {

// A step over a wait, or over the life of a thread, would have the others do nothing meanwhile.
bool is_no_step(const Trace& trace, const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::kThreadCreate:
    case EventKind::kThreadJoin:
    case EventKind::kThreadEnd:
    case EventKind::kCondWait:
    case EventKind::kBarrierWait:
    case EventKind::kSemaphoreWait:
    case EventKind::kFutexWait:
    case EventKind::kSleep:
      return true;
    case EventKind::kBlockingCall:
      return !is_sending_call(trace, event);
    default:
      return false;
  }
}

bool is_one_step(const Trace& trace, const TraceEvent& first, const TraceEvent& last) {
  return std::none_of(trace.events.begin(), trace.events.end(), [&](const TraceEvent& e) {
    return e.thread == first.thread && e.id > first.id && e.id <= last.id && is_no_step(trace, e);
  });
}

// The lock that the thread holds at both, or in both sections of which these are the last and the first part. Else one
// that it holds at the first, as others do who come between: it is given back too early.
std::string common_lock(const Trace& trace, const TraceEvent& first, const TraceEvent& last,
                        const TraceEvent* between) {
  const auto own = [&](const TraceEvent& event) {
    auto locks = held_locks(trace, event.thread, event.id);
    if (takes_lock(event.kind) || gives_lock_back(event.kind)) locks.push_back({event.address, &event, true});
    return locks;
  };
  const auto ends = own(last);
  for (const HeldLock& lock : own(first)) {
    const bool both =
        std::any_of(ends.begin(), ends.end(), [&](const HeldLock& o) { return o.address == lock.address; });
    if (both) return shown(trace, *lock.taken).variable;
  }
  if (between == nullptr) return {};
  const auto others = held_locks(trace, between->thread, between->id);
  for (const HeldLock& lock : held_locks(trace, first.thread, first.id)) {
    const bool both = std::any_of(others.begin(), others.end(),
                                  [&](const HeldLock& o) { return o.address == lock.address; });
    if (both) return shown(trace, *lock.taken).variable;
  }
  return {};
}

// The thread held a lock all the time, and who came between did not take it.
void propose_lock_of_gap(const Trace& trace, const Interruption& gap, Proposals& proposals) {
  const auto others = held_locks(trace, gap.between->thread, gap.between->id);
  const auto at_end = held_locks(trace, gap.first->thread, gap.last->id);
  for (const HeldLock& lock : held_locks(trace, gap.first->thread, gap.first->id)) {
    const auto is_it = [&](const HeldLock& o) { return o.address == lock.address; };
    const auto end = std::find_if(at_end.begin(), at_end.end(), is_it);
    if (end == at_end.end() || end->taken != lock.taken || std::any_of(others.begin(), others.end(), is_it))
      continue;
    proposals.push_back(hold_lock(trace, *gap.between, lock.address));
  }
}

// The thread takes a lock only between the two: what it looked at without it is not so any more when it has it.
void propose_earlier_lock(const Trace& trace, const Interruption& gap, Proposals& proposals) {
  const auto before = held_locks(trace, gap.first->thread, gap.first->id);
  for (const HeldLock& lock : held_locks(trace, gap.first->thread, gap.last->id)) {
    if (lock.taken->id < gap.first->id) continue;
    const auto is_it = [&](const HeldLock& o) { return o.address == lock.address; };
    if (std::any_of(before.begin(), before.end(), is_it)) continue;
    if (!is_one_step(trace, *gap.first, *gap.last)) continue;
    Proposal proposal = hold_lock(trace, *gap.first, lock.address);
    proposal.kind = RemedyKind::kTogether;
    RemedyPart step = stretch(trace, *gap.first, gap.last->pc, gap.last->stack, gap.last->address);
    step.first_access = shown(trace, *gap.first);
    step.last_access = step.other_shown = shown(trace, *gap.last);
    step.from = gap.from;
    step.to = gap.to;
    proposal.parts.push_back(std::move(step));
    if (is_plain_access(gap.last->kind)) proposal.turns.push_back(gap.last->pc);
    proposals.push_back(std::move(proposal));
  }
}

// Loads of the variable read its newest value, as an update does: all that is done to it is sequentially consistent.
Rules newest_values(const Trace& trace, Address variable) {
  constexpr std::size_t kMost = 32;
  Rules rules;
  for (const TraceEvent& e : trace.events) {
    if (e.address != variable || is_plain_access(e.kind) || !accesses_memory(e.kind) || is_seq_cst(e.order))
      continue;
    EnforcedRule rule;
    rule.kind = RuleKind::kStrengthen;
    rule.place = place_of(trace, e);
    rule.order = MemoryOrder::kSeqCst;
    const bool known = std::any_of(rules.begin(), rules.end(),
                                   [&](const EnforcedRule& other) { return other.place == rule.place; });
    if (!known && rules.size() < kMost) rules.push_back(rule);
  }
  return rules;
}

const TraceEvent* last_turn_until(const Trace& trace, const TraceEvent& event) {
  const TraceEvent* found = nullptr;
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && takes_turn(e) && e.id <= event.id) found = &e;
  }
  return found;
}

// From the one access to the other, however far that is.
void propose_whole(const Trace& trace, const Interruption& gap, Proposals& proposals) {
  const TraceEvent* first = last_turn_until(trace, *gap.first);
  const TraceEvent& last = *gap.last;
  if (first == nullptr || !is_one_step(trace, *first, last)) return;
  RemedyPart part = stretch(trace, *first, last.pc, last.stack, last.address);
  part.first_access = shown(trace, *gap.first);
  part.last_access = part.other_shown = shown(trace, last);
  part.from = gap.from;
  part.to = gap.to;
  part.lock = common_lock(trace, *gap.first, last, gap.between);
  Proposal proposal{RemedyKind::kTogether, {part}, {}, false};
  if (is_plain_access(last.kind)) proposal.turns.push_back(last.pc);
  if (loads_atomically(gap.first->kind) && stores_atomically(last.kind) && gap.first->address == last.address)
    proposal.along = newest_values(trace, last.address);
  proposals.push_back(std::move(proposal));
}

// Both sides: who came between is one step, too, as far as it touches the same. That is one lock around both.
void propose_both(const Trace& trace, const std::vector<Footprint>& footprints, const Interruption& gap,
                  Proposals& proposals) {
  constexpr std::ptrdiff_t kReach = 64;
  const auto at = [&](const TraceEvent& e) { return &e - trace.events.data(); };
  const Footprint &one = footprints[static_cast<std::size_t>(at(*gap.first))],
                  &other = footprints[static_cast<std::size_t>(at(*gap.last))];
  const std::ptrdiff_t middle = at(*gap.between);
  const std::ptrdiff_t end = std::min(std::ssize(trace.events), middle + kReach);
  const TraceEvent *from = nullptr, *to = nullptr;
  for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, middle - kReach); i < end; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const bool touches = footprints[k].overlaps(one) || footprints[k].overlaps(other);
    if (trace.events[k].thread != gap.between->thread || !touches) continue;
    if (from == nullptr) from = &trace.events[k];
    to = &trace.events[k];
  }
  if (from == nullptr || from == to || !is_one_step(trace, *from, *to) ||
      is_carried_by_loop(trace, *from, *to))
    return;
  Proposal proposal{RemedyKind::kLock, {}, {}, false};
  for (const auto& [begin, last] : {std::pair{gap.first, gap.last}, {from, to}}) {
    const TraceEvent* turn = last_turn_until(trace, *begin);
    if (turn == nullptr || !is_one_step(trace, *turn, *last)) return;
    RemedyPart part = stretch(trace, *turn, last->pc, last->stack, last->address);
    part.shown = shown(trace, *begin);
    part.other_shown = shown(trace, *last);
    proposal.parts.push_back(std::move(part));
    if (is_plain_access(last->kind)) proposal.turns.push_back(last->pc);
  }
  proposals.push_back(std::move(proposal));
}

// Not from access to access, but from one operation near the gap to another: the shortest stretches first.
void propose_stretches(const Trace& trace, const Interruption& gap, Proposals& proposals) {
  constexpr std::size_t kReach = 5;
  for (std::size_t width = 0; width <= kReach; ++width) {
    for (std::size_t back = 0; back <= width && back < gap.before.size(); ++back) {
      const std::size_t on = width - back;
      if (on >= gap.after.size()) continue;
      const TraceEvent& first = *gap.before[back];
      const TraceEvent& last = *gap.after[on];
      if (!is_one_step(trace, first, last) || is_carried_by_loop(trace, first, last)) continue;
      RemedyPart part = stretch(trace, first, last.pc, last.stack, last.address);
      part.other_shown.event = last;
      if (gap.first != nullptr) {
        part.first_access = shown(trace, *gap.first);
        part.last_access = shown(trace, *gap.last);
        part.lock = common_lock(trace, *gap.first, *gap.last, gap.between);
      }
      proposals.push_back({RemedyKind::kTogether, {part}, {}, false});
    }
  }
}

}  // namespace

Proposals propose_together(const RemedyTrial& trial) {
  constexpr std::size_t kMost = 16, kMostOfBoth = 8, kMostStretched = 4;
  Proposals proposals;
  const auto& passing = trial.explanation().passing;
  const Trace trace = with_attempts(trial.failing(), passing ? &passing->trace : nullptr);
  std::vector<Interruption> found = interruptions(trace, trial.explanation().curve);
  if (found.size() > kMost) found.resize(kMost);
  for (const Interruption& one : found) {
    propose_lock_of_gap(trace, one, proposals);
    propose_earlier_lock(trace, one, proposals);
    propose_whole(trace, one, proposals);
  }
  const std::vector<Footprint> footprints = footprints_of(trace);
  for (std::size_t i = 0; i < std::min(found.size(), kMostOfBoth); ++i)
    propose_both(trace, footprints, found[i], proposals);
  if (found.size() > kMostStretched) found.resize(kMostStretched);
  for (const Interruption& one : found) propose_stretches(trace, one, proposals);
  return proposals;
}

Proposals propose_longer_steps(const RemedyTrial& trial) {
  constexpr std::size_t kMost = 12;
  Proposals proposals;
  std::vector<Interruption> gaps = plain_gaps(trial.failing());
  if (gaps.size() > kMost) gaps.resize(kMost);
  for (const Interruption& gap : gaps) propose_stretches(trial.failing(), gap, proposals);
  return proposals;
}

// Both sides of the race read and then write the variable: each pair is to be one step, and so is every other line that
// updates it.
Proposals propose_update(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const TraceFinding& finding = trace.findings.front();
  if (finding.kind != FindingKind::kDataRace) return {};
  std::vector<RemedyPart> parts;
  const auto add = [&](const TraceEvent& read, const TraceEvent& write) {
    RemedyPart part = stretch(trace, read, write.pc, write.stack, write.address);
    part.first_access = part.shown;
    part.last_access = part.other_shown = shown(trace, write);
    const bool known = std::any_of(parts.begin(), parts.end(), [&](const RemedyPart& other) {
      return other.rule.place == part.rule.place && other.rule.other == part.rule.other;
    });
    if (!known && parts.size() < kMostRules) parts.push_back(std::move(part));
  };
  std::map<Address, std::set<ThreadId>> sides;
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess)
      sides[part.address].insert(part.thread);
  }
  std::map<std::pair<ThreadId, Address>, const TraceEvent*> reads;
  for (const TraceEvent& e : trace.events) {
    const auto side = sides.find(e.address);
    if (side == sides.end() || !is_plain_access(e.kind)) continue;
    const TraceEvent*& read = reads[{e.thread, e.address}];
    if (e.kind == EventKind::kPlainRead) {
      read = &e;
    } else if (const TraceEvent* before = std::exchange(read, nullptr); before != nullptr) {
      const bool is_update =
          side->second.contains(e.thread) || is_same_line(shown(trace, *before).frame, shown(trace, e).frame);
      if (is_update && is_one_step(trace, *before, e)) add(*before, e);
    }
  }
  if (parts.empty()) return {};
  return {{RemedyKind::kTogether, std::move(parts), {}, true}};
}

}  // namespace heddle::cause
