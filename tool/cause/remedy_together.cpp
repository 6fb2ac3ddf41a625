#include <algorithm>
#include <map>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"
#include "tool/trace/held_locks.h"

namespace heddle::cause {
namespace {

using Positions = std::vector<std::uint32_t>;  // in Trace::events

struct Gap {
  ThreadId thread;
  Positions before, after;  // operations that wait for their turn, the nearest first
  // Somebody wrote in it what the thread touched before and after.
  const TraceEvent* first_access = nullptr;
  const TraceEvent* last_access = nullptr;
  const TraceEvent* between = nullptr;  // that write
  bool conflicts = false;
  bool is_second = false;  // another pair of accesses of the same interruption
};

bool conflict(const TraceEvent& a, const TraceEvent& b) {
  return accesses_memory(a.kind) && accesses_memory(b.kind) && a.address == b.address &&
         (writes_memory(a.kind) || writes_memory(b.kind));
}

// What others did in between comes after what the thread did before, and before what it did then, perhaps by way of
// several variables: in no order of whole steps it could be so (conflict serializability).
void find_cycle(const std::vector<TraceEvent>& events, Gap& gap, const Positions& own_before,
                const Positions& own_after, const Positions& others) {
  const auto nearest = [&](const Positions& own, std::uint32_t at) -> const TraceEvent* {
    const auto found = std::find_if(own.begin(), own.end(),
                                    [&](std::uint32_t mine) { return conflict(events[mine], events[at]); });
    return found != own.end() ? &events[*found] : nullptr;
  };
  for (std::size_t i = others.size(); i-- > 0;) {
    const TraceEvent* first = nearest(own_before, others[i]);
    if (first == nullptr) continue;
    const TraceEvent* last = nullptr;
    std::uint32_t by = 0;
    for (std::size_t k = i; k < others.size(); ++k) {
      const TraceEvent* later = nearest(own_after, others[k]);
      if (later == nullptr || (last != nullptr && last->id <= later->id)) continue;
      last = later;
      by = others[k];
    }
    if (last == nullptr) continue;
    gap.first_access = first;
    gap.last_access = last;
    gap.between = &events[writes_memory(events[others[i]].kind) ? others[i] : by];
    gap.conflicts = true;
    return;
  }
}

void find_conflict(const std::vector<TraceEvent>& events, Gap& gap, const Positions& own_before,
                   const Positions& own_after, const Positions& others) {
  const auto touches = [&](const Positions& positions, Address address) -> const TraceEvent* {
    const auto found = std::find_if(positions.begin(), positions.end(), [&](std::uint32_t at) {
      return events[at].address == address && accesses_memory(events[at].kind);
    });
    return found != positions.end() ? &events[*found] : nullptr;
  };
  for (const std::uint32_t at : others) {
    if (!writes_memory(events[at].kind)) continue;
    gap.first_access = touches(own_before, events[at].address);
    gap.last_access = touches(own_after, events[at].address);
    if (gap.first_access != nullptr && gap.last_access != nullptr) {
      gap.between = &events[at];
      gap.conflicts = true;
      return;
    }
  }
  gap.first_access = gap.last_access = nullptr;
  find_cycle(events, gap, own_before, own_after, others);
}

// Where a thread was interrupted: between two of its operations others did something.
std::vector<Gap> gaps(const Trace& trace) {
  constexpr std::size_t kReach = 12;
  const auto& events = trace.events;
  std::map<ThreadId, Positions> of_thread;
  for (std::uint32_t i = 0; i < events.size(); ++i) of_thread[events[i].thread].push_back(i);
  std::vector<Gap> found;
  const auto add = [&](const Positions& own, std::size_t k) {
    Gap gap;
    gap.thread = events[own[k - 1]].thread;
    Positions near_before, near_after, others;
    for (std::size_t i = k; i-- > 0 && near_before.size() < 2 * kReach;) {
      near_before.push_back(own[i]);
      if (takes_turn(events[own[i]]) && gap.before.size() < kReach) gap.before.push_back(own[i]);
    }
    for (std::size_t i = k; i < own.size() && near_after.size() < 2 * kReach; ++i) {
      near_after.push_back(own[i]);
      if (takes_turn(events[own[i]]) && gap.after.size() < kReach) gap.after.push_back(own[i]);
    }
    for (std::uint32_t at = own[k - 1] + 1; at < own[k]; ++at) others.push_back(at);
    find_conflict(events, gap, near_before, near_after, others);
    if (gap.before.empty() || gap.after.empty()) return;
    if (gap.conflicts) {
      Gap second = gap;
      find_cycle(events, second, near_before, near_after, others);
      second.is_second = true;
      if (second.first_access != gap.first_access || second.last_access != gap.last_access)
        found.push_back(std::move(second));
    }
    found.push_back(std::move(gap));
  };
  for (const auto& [thread, own] : of_thread) {
    for (std::size_t k = 1; k < own.size(); ++k) {
      if (own[k] != own[k - 1] + 1) add(own, k);
    }
  }
  // What happened last is nearest to the failure.
  std::sort(found.begin(), found.end(), [](const Gap& a, const Gap& b) {
    if (a.conflicts != b.conflicts) return a.conflicts;
    return a.before.front() > b.before.front();
  });
  return found;
}

// A step over a wait, or over the life of a thread, would have the others do nothing meanwhile.
bool is_no_step(EventKind kind) {
  switch (kind) {
    case EventKind::kThreadCreate:
    case EventKind::kThreadJoin:
    case EventKind::kThreadEnd:
    case EventKind::kCondWait:
    case EventKind::kBarrierWait:
    case EventKind::kSemaphoreWait:
    case EventKind::kFutexWait:
    case EventKind::kSleep:
    case EventKind::kBlockingCall:
      return true;
    default:
      return false;
  }
}

bool is_one_step(const Trace& trace, const TraceEvent& first, const TraceEvent& last) {
  return std::none_of(trace.events.begin(), trace.events.end(), [&](const TraceEvent& e) {
    return e.thread == first.thread && e.id > first.id && e.id <= last.id && is_no_step(e.kind);
  });
}

// The lock that the thread holds at both, or in both sections of which these are the last and the first part.
std::string common_lock(const Trace& trace, const TraceEvent& first, const TraceEvent& last) {
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
  return {};
}

// The thread held a lock all the time, and who came between did not take it.
void propose_lock_of_gap(const Trace& trace, const Gap& gap, Proposals& proposals) {
  if (gap.between == nullptr) return;
  const auto others = held_locks(trace, gap.between->thread, gap.between->id);
  const auto at_end = held_locks(trace, gap.thread, gap.last_access->id);
  for (const HeldLock& lock : held_locks(trace, gap.thread, gap.first_access->id)) {
    const auto is_it = [&](const HeldLock& o) { return o.address == lock.address; };
    const auto end = std::find_if(at_end.begin(), at_end.end(), is_it);
    if (end == at_end.end() || end->taken != lock.taken || std::any_of(others.begin(), others.end(), is_it))
      continue;
    proposals.push_back(hold_lock(trace, *gap.between, lock.address));
  }
}

// The thread takes a lock only between the two: what it looked at without it is not so any more when it has it.
void propose_earlier_lock(const Trace& trace, const Gap& gap, Proposals& proposals) {
  if (gap.between == nullptr) return;
  const auto before = held_locks(trace, gap.thread, gap.first_access->id);
  for (const HeldLock& lock : held_locks(trace, gap.thread, gap.last_access->id)) {
    if (lock.taken->id < gap.first_access->id) continue;
    const auto is_it = [&](const HeldLock& o) { return o.address == lock.address; };
    if (std::any_of(before.begin(), before.end(), is_it)) continue;
    if (!is_one_step(trace, *gap.first_access, *gap.last_access)) continue;
    Proposal proposal = hold_lock(trace, *gap.first_access, lock.address);
    proposal.kind = RemedyKind::kTogether;
    RemedyPart step = stretch(trace, *gap.first_access, gap.last_access->pc, gap.last_access->stack,
                              gap.last_access->address);
    step.first_access = shown(trace, *gap.first_access);
    step.last_access = step.other_shown = shown(trace, *gap.last_access);
    proposal.parts.push_back(std::move(step));
    if (is_plain_access(gap.last_access->kind)) proposal.turns.push_back(gap.last_access->pc);
    proposals.push_back(std::move(proposal));
  }
}

// From the one access to the other, however far that is.
void propose_whole(const Trace& trace, const Gap& gap, Proposals& proposals) {
  const auto turn_before = [&](const TraceEvent& event) {
    const TraceEvent* found = nullptr;
    for (const TraceEvent& e : trace.events) {
      if (e.thread == event.thread && takes_turn(e) && e.id <= event.id) found = &e;
    }
    return found;
  };
  const TraceEvent* first = turn_before(*gap.first_access);
  const TraceEvent& last = *gap.last_access;
  if (first == nullptr || !is_one_step(trace, *first, last)) return;
  RemedyPart part = stretch(trace, *first, last.pc, last.stack, last.address);
  part.first_access = shown(trace, *gap.first_access);
  part.last_access = part.other_shown = shown(trace, last);
  part.lock = common_lock(trace, *gap.first_access, last);
  Proposal proposal{RemedyKind::kTogether, {part}, {}, false};
  if (is_plain_access(last.kind)) proposal.turns.push_back(last.pc);
  proposals.push_back(std::move(proposal));
}

void propose_gap(const RemedyTrial& trial, const Gap& gap, std::size_t reach, Proposals& proposals) {
  const Trace& trace = trial.failing();
  const auto& events = trace.events;
  if (gap.conflicts) {
    propose_lock_of_gap(trace, gap, proposals);
    propose_earlier_lock(trace, gap, proposals);
    propose_whole(trace, gap, proposals);
  }
  if (gap.is_second) return;
  // The shortest stretches first.
  for (std::size_t width = 0; width <= reach; ++width) {
    for (std::size_t back = 0; back <= width && back < gap.before.size(); ++back) {
      const std::size_t on = width - back;
      if (on >= gap.after.size()) continue;
      const TraceEvent& first = events[gap.before[back]];
      const TraceEvent& last = events[gap.after[on]];
      if (!is_one_step(trace, first, last)) continue;
      RemedyPart part = stretch(trace, first, last.pc, last.stack, last.address);
      part.other_shown.event = last;
      if (gap.first_access != nullptr) {
        part.first_access = shown(trace, *gap.first_access);
        part.last_access = shown(trace, *gap.last_access);
        part.lock = common_lock(trace, *gap.first_access, *gap.last_access);
      }
      proposals.push_back({RemedyKind::kTogether, {part}, {}, false});
    }
  }
}

}  // namespace

Proposals propose_together(const RemedyTrial& trial, bool only_conflicting) {
  constexpr std::size_t kMostGaps = 12, kReach = 5;
  Proposals proposals;
  std::size_t tried = 0;
  for (const Gap& gap : gaps(trial.failing())) {
    if (gap.conflicts != only_conflicting || tried++ == kMostGaps) continue;
    propose_gap(trial, gap, kReach, proposals);
  }
  return proposals;
}

// Both sides of the race read and then write the variable: each pair is to be one step.
Proposals propose_update(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const TraceFinding& finding = trace.findings.front();
  if (finding.kind != FindingKind::kDataRace) return {};
  std::vector<RemedyPart> parts;
  for (const TracePart& access : finding.parts) {
    const bool is_access = access.role == PartRole::kAccess || access.role == PartRole::kPreviousAccess;
    if (!is_access) continue;
    const TraceEvent* read = nullptr;
    for (const TraceEvent& e : trace.events) {
      if (e.thread != access.thread || e.address != access.address) continue;
      if (e.kind == EventKind::kPlainRead) read = &e;
      if (e.kind != EventKind::kPlainWrite || read == nullptr || !is_one_step(trace, *read, e)) continue;
      RemedyPart part = stretch(trace, *read, e.pc, e.stack, e.address);
      part.first_access = part.shown;
      part.last_access = part.other_shown = shown(trace, e);
      const bool known = std::any_of(parts.begin(), parts.end(), [&](const RemedyPart& other) {
        return other.rule.place == part.rule.place && other.rule.other == part.rule.other;
      });
      if (!known && parts.size() < kMostRules) parts.push_back(std::move(part));
      read = nullptr;
    }
  }
  if (parts.empty()) return {};
  return {{RemedyKind::kTogether, std::move(parts), {}, true}};
}

}  // namespace heddle::cause
