#include <algorithm>
#include <optional>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"
#include "tool/trace/held_locks.h"

namespace heddle::cause {
namespace {

struct Race {
  const TracePart* accesses[2] = {};
};

std::optional<Race> race_of(const TraceFinding& finding) {
  Race race;
  std::size_t count = 0;
  if (finding.kind != FindingKind::kDataRace) return std::nullopt;
  for (const TracePart& part : finding.parts) {
    const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
    if (is_access && count < 2) race.accesses[count++] = &part;
  }
  if (count != 2) return std::nullopt;
  return race;
}

std::optional<RemedyPart> part_of_race(const Trace& trace, RuleKind rule) {
  const auto race = race_of(trace.findings.front());
  if (!race) return std::nullopt;
  const auto& [first, second] = race->accesses;
  RemedyPart part;
  part.rule.kind = rule;
  part.rule.place = place_of(trace, first->pc, first->stack);
  part.rule.other = place_of(trace, second->pc, second->stack);
  part.shown = shown(trace, first->pc, first->stack, first->address);
  part.other_shown = shown(trace, second->pc, second->stack, second->address);
  return part;
}

// The accesses of one line to one variable are several places, and each may race: what a trial shows is added to the
// parts until nothing does. Empty: it does not help.
std::vector<RemedyPart> parts_that_help(RemedyTrial& trial, RuleKind rule, MemoryOrder order) {
  constexpr int kMostRounds = 12;
  std::vector<RemedyPart> parts;
  const Trace* race = &trial.failing();
  for (int round = 0; round < kMostRounds && trial.time_left(); ++round) {
    auto part = part_of_race(*race, rule);
    if (!part || parts.size() == kMostRules) return {};
    const bool known = std::any_of(parts.begin(), parts.end(), [&](const RemedyPart& other) {
      return other.rule.place == part->rule.place && other.rule.other == part->rule.other;
    });
    if (known) return {};
    part->rule.order = order;
    parts.push_back(*part);
    trial.forget_last_failure();
    if (trial.helps(parts)) return parts;
    if (!trial.last_failure()) return {};
    race = &*trial.last_failure();
  }
  return {};
}

bool can_be_atomic(const TracePart& part) {
  const bool plain = part.access == AccessKind::kRead || part.access == AccessKind::kWrite;
  return plain && (part.size == 1 || part.size == 2 || part.size == 4 || part.size == 8);
}

}  // namespace

bool try_lock(RemedyTrial& trial) {
  trial.say("trying a lock around both accesses");
  const auto parts = parts_that_help(trial, RuleKind::kLocked, MemoryOrder::kRelaxed);
  return !parts.empty() && trial.accept(RemedyKind::kLock, parts);
}

// The weakest order that suffices, and only where nobody holds a lock: where one side does, the other one was
// forgotten.
bool try_atomic(RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const auto race = race_of(trace.findings.front());
  if (!race || !can_be_atomic(*race->accesses[0]) || !can_be_atomic(*race->accesses[1])) return false;
  for (const TracePart* access : race->accesses) {
    if (!held_locks(trace, access->thread, access->event).empty()) return false;
  }
  trial.say("trying atomic accesses");
  for (const MemoryOrder order : {MemoryOrder::kRelaxed, MemoryOrder::kAcqRel}) {
    const auto parts = parts_that_help(trial, RuleKind::kAtomic, order);
    if (!parts.empty() && trial.accept(RemedyKind::kAtomic, parts)) return true;
  }
  return false;
}

namespace {

// What a thread does to memory in one go of one line of the user's: a call on a container is many accesses.
struct Line {
  const TraceEvent* first = nullptr;
  const TraceEvent* last = nullptr;
};

// Around the access of a race. Its place may be in another execution than the trace.
Line line_of(const RemedyTrial& trial, const TracePart& access) {
  const Trace& trace = trial.failing();
  std::vector<const TraceEvent*> own;
  std::size_t at = 0;
  for (const bool same_thread : {true, false}) {
    for (const TraceEvent& e : trace.events) {
      if (is_plain_access(e.kind) && e.pc == access.pc && (!same_thread || e.thread == access.thread)) {
        for (const TraceEvent& other : trace.events) {
          if (other.thread != e.thread) continue;
          if (&other == &e) at = own.size();
          own.push_back(&other);
        }
        break;
      }
    }
    if (!own.empty()) break;
  }
  if (own.empty()) return {};
  const Frame& line = trial.frame_of(trace, *own[at]);
  const auto is_of_it = [&](std::size_t i) {
    return !takes_turn(*own[i]) && is_same_line(trial.frame_of(trace, *own[i]), line);
  };
  std::size_t from = at, to = at;
  while (from > 0 && is_of_it(from - 1)) --from;
  while (to + 1 < own.size() && is_of_it(to + 1)) ++to;
  while (!is_plain_access(own[from]->kind)) ++from;
  while (!is_plain_access(own[to]->kind)) --to;
  return {own[from], own[to]};
}

}  // namespace

Proposals propose_held_lock(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const auto race = race_of(trace.findings.front());
  if (!race) return {};
  Proposals proposals;
  for (const int without : {0, 1}) {
    const TracePart& bare = *race->accesses[without];
    const TracePart& locked = *race->accesses[1 - without];
    if (bare.access != AccessKind::kRead && bare.access != AccessKind::kWrite) continue;
    const auto own = held_locks(trace, bare.thread, bare.event);
    for (const HeldLock& lock : held_locks(trace, locked.thread, locked.event)) {
      if (std::any_of(own.begin(), own.end(), [&](const HeldLock& o) { return o.address == lock.address; }))
        continue;
      TraceEvent access;  // a race's accesses are no events of their own
      access.kind = is_write(bare.access) ? EventKind::kPlainWrite : EventKind::kPlainRead;
      access.pc = bare.pc;
      access.stack = bare.stack;
      access.address = bare.address;
      access.thread = bare.thread;
      access.id = bare.event;
      for (const auto make : {&hold_lock, &hold_lock_from_notification}) {
        Proposal proposal = make(trace, access, lock.address);
        proposal.needs_visible_race = true;
        if (!proposal.parts.empty()) proposals.push_back(std::move(proposal));
      }
      // A call on a container is one step under it.
      const Line line = line_of(trial, bare);
      if (line.first == line.last) continue;
      Proposal proposal = hold_lock(trace, *line.first, lock.address);
      if (proposal.parts.empty()) continue;
      proposal.parts.push_back(
          stretch(trace, *line.first, line.last->pc, line.last->stack, line.last->address));
      proposal.turns = {line.first->pc, line.last->pc};
      proposal.needs_visible_race = true;
      proposals.push_back(std::move(proposal));
    }
  }
  return proposals;
}

namespace {

// True: the proposal has the line of this access now, and had not.
bool add_line(const RemedyTrial& trial, const TracePart& access, Proposal& proposal) {
  const Line line = line_of(trial, access);
  if (line.first == nullptr || proposal.parts.size() == kMostRules) return false;
  const Trace& trace = trial.failing();
  RemedyPart part = stretch(trace, *line.first, line.last->pc, line.last->stack, line.last->address);
  const bool known = std::any_of(proposal.parts.begin(), proposal.parts.end(), [&](const RemedyPart& other) {
    return other.rule.place == part.rule.place && other.rule.other == part.rule.other;
  });
  if (known) return false;
  part.shown = part.other_shown = shown(trace, *line.first);
  proposal.parts.push_back(std::move(part));
  proposal.turns.push_back(line.first->pc);
  proposal.turns.push_back(line.last->pc);
  return true;
}

}  // namespace

bool try_locked_lines(RemedyTrial& trial) {
  constexpr int kMostRounds = 8;
  const auto race = race_of(trial.failing().findings.front());
  if (!race || race->accesses[0]->pc == 0 || race->accesses[1]->pc == 0) return false;
  Proposal proposal{RemedyKind::kLock, {}, {}, true};
  bool is_whole = false;
  for (const TracePart* access : race->accesses) {
    const Line line = line_of(trial, *access);
    is_whole = is_whole || (line.first != line.last);
    if (!add_line(trial, *access, proposal) && proposal.parts.empty()) return false;
  }
  // Single accesses are tried by themselves.
  if (!is_whole) return false;
  trial.say("trying a lock around the lines that race");
  for (int round = 0; round < kMostRounds && trial.time_left(); ++round) {
    trial.forget_last_failure();
    if (trial.helps(proposal)) return trial.accept(proposal);
    if (!trial.last_failure()) return false;
    const auto next = race_of(trial.last_failure()->findings.front());
    if (!next) return false;
    bool is_new = false;
    for (const TracePart* access : next->accesses) is_new = add_line(trial, *access, proposal) || is_new;
    if (!is_new) return false;
  }
  return false;
}

namespace {

// A thread of a deadlock's cycle: what it waits for, and what it took first of all that it still holds.
struct InCycle {
  const TracePart* waits = nullptr;
  const TraceEvent* holds = nullptr;  // of the cycle
  const TraceEvent* first = nullptr;
};

std::vector<InCycle> cycle_of(const Trace& trace) {
  const TraceFinding& finding = trace.findings.front();
  std::vector<InCycle> cycle;
  for (const TracePart& waits : finding.parts) {
    if (waits.role != PartRole::kBlockedThread) continue;
    InCycle one{&waits};
    for (const HeldLock& lock : held_locks(trace, waits.thread, trace.events.back().id)) {
      const bool in_cycle = std::any_of(finding.parts.begin(), finding.parts.end(), [&](const TracePart& p) {
        return p.role == PartRole::kBlockedThread && p.address == lock.address && p.thread != waits.thread;
      });
      if (in_cycle && (one.holds == nullptr || one.holds->id < lock.taken->id)) one.holds = lock.taken;
      if (one.first == nullptr || lock.taken->id < one.first->id) one.first = lock.taken;
    }
    if (one.holds == nullptr) return {};
    cycle.push_back(one);
  }
  return cycle;
}

RemedyPart stretch_to_wait(const Trace& trace, const InCycle& one, const TraceEvent& from) {
  RemedyPart part = stretch(trace, from, one.waits->pc, one.waits->stack, one.waits->address);
  part.other_shown.event.kind = EventKind::kMutexLock;
  return part;
}

// What it waits for is taken before all that it holds: it is free when the first of them is taken, and the thread goes
// on until it has it.
void add_taken_first(const Trace& trace, const InCycle& one, Proposal& proposal) {
  Proposal free = hold_lock(trace, *one.first, one.waits->address);
  if (free.parts.empty()) return;
  for (RemedyPart& part : free.parts) proposal.parts.push_back(std::move(part));
  RemedyPart step = stretch_to_wait(trace, one, *one.first);
  step.lock = step.other_shown.variable;
  proposal.parts.push_back(std::move(step));
}

// What the thread waits for: another thread's end or a signal; nothing else is waited for without a lock.
std::optional<EventKind> waits_by(const Trace& trace, const TracePart& waits) {
  for (const TraceEvent& e : trace.events) {
    if (e.address != waits.address || e.address == 0 || (e.flags & event_flags::kFailed) != 0) continue;
    if (e.kind == EventKind::kCondWait) return EventKind::kCondWait;
    if (takes_lock(e.kind)) return std::nullopt;
  }
  return EventKind::kThreadJoin;
}

}  // namespace

// A thread waits for the end of another one, or for its signal, and holds a lock that this one needs.
Proposals propose_given_back(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const TraceFinding& finding = trace.findings.front();
  if (finding.kind != FindingKind::kDeadlock || trace.events.empty()) return {};
  Proposals proposals;
  for (const TracePart& joins : finding.parts) {
    if (joins.role != PartRole::kBlockedThread) continue;
    const auto kind = waits_by(trace, joins);
    if (!kind) continue;
    for (const HeldLock& lock : held_locks(trace, joins.thread, trace.events.back().id)) {
      const bool is_waited_for =
          std::any_of(finding.parts.begin(), finding.parts.end(), [&](const TracePart& p) {
            return p.role == PartRole::kBlockedThread && p.thread != joins.thread &&
                   p.address == lock.address;
          });
      if (!is_waited_for || lock.address == joins.address) continue;
      RemedyPart part;
      part.rule.kind = RuleKind::kGiveBack;
      part.rule.place = place_of(trace, joins.pc, joins.stack);
      part.rule.other = place_of(trace, *lock.taken);
      part.shown = shown(trace, joins.pc, joins.stack, joins.address);
      part.shown.event.kind = *kind;
      part.other_shown = shown(trace, *lock.taken);
      part.lock = part.other_shown.variable;
      proposals.push_back({RemedyKind::kLockOrder, {part}, {}, false});
    }
  }
  return proposals;
}

Proposals propose_lock_order(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  if (trace.findings.front().kind != FindingKind::kDeadlock || trace.events.empty()) return {};
  const std::vector<InCycle> cycle = cycle_of(trace);
  if (cycle.empty()) return {};
  Proposal steps{RemedyKind::kLockOrder, {}, {}, false}, all = steps;
  Proposals proposals;
  for (const InCycle& one : cycle) {
    steps.parts.push_back(stretch_to_wait(trace, one, *one.holds));
    add_taken_first(trace, one, all);
  }
  proposals.push_back(std::move(steps));
  // Where others use the locks alone, a step may have to wait in its middle.
  for (const InCycle& one : cycle) {
    Proposal alone{RemedyKind::kLockOrder, {}, {}, false};
    add_taken_first(trace, one, alone);
    if (!alone.parts.empty()) proposals.push_back(std::move(alone));
  }
  if (!all.parts.empty()) proposals.push_back(std::move(all));
  return proposals;
}

}  // namespace heddle::cause
