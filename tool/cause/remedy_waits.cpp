// Remedies of waits: who is woken, and under which lock that which is waited for changes.
#include <algorithm>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"
#include "tool/trace/held_locks.h"

namespace heddle::cause {
namespace {

constexpr std::size_t kMostWrites = 8, kMostPlaces = 12;

RemedyPart part_at(const Trace& trace, RuleKind rule, const TraceEvent& event) {
  RemedyPart part;
  part.rule.kind = rule;
  part.rule.place = place_of(trace, event);
  part.shown = shown(trace, event);
  return part;
}

// The first event of each place of code, of those that `is_wanted` takes.
std::vector<const TraceEvent*> places(const Trace& trace, const auto& is_wanted) {
  std::vector<const TraceEvent*> found;
  std::vector<CodePlace> known;
  for (const TraceEvent& event : trace.events) {
    if (!is_wanted(event) || found.size() == kMostPlaces) continue;
    const CodePlace place = place_of(trace, event);
    if (std::find(known.begin(), known.end(), place) != known.end()) continue;
    known.push_back(place);
    found.push_back(&event);
  }
  return found;
}

bool is_notification(EventKind kind) {
  return kind == EventKind::kCondSignal || kind == EventKind::kCondBroadcast;
}

// What is wrong with the waits for one condition variable.
class Condition {
 public:
  Condition(const RemedyTrial& trial, Address condition) : trace_(trial.failing()), condition_(condition) {
    for (const TraceEvent& event : trace_.events) {
      if (event.kind == EventKind::kCondWait && event.address == condition) mutex_ = event.value;
    }
  }

  void propose(Proposals& proposals) const {
    propose_all(proposals);
    propose_lock(proposals);
    propose_look(proposals, RuleKind::kHandOver);
    propose_look(proposals, RuleKind::kHandOverOne);
    propose_look_before(proposals);
  }

 private:
  void propose_all(Proposals& proposals) const {
    Proposal all{RemedyKind::kNotifyAll, {}, {}, false};
    for (const TraceEvent* signal : signals())
      all.parts.push_back(part_at(trace_, RuleKind::kWakeAll, *signal));
    // One of them may be the wrong one.
    if (all.parts.size() > 1) {
      for (const RemedyPart& part : all.parts)
        proposals.push_back({RemedyKind::kNotifyAll, {part}, {}, false});
    }
    if (!all.parts.empty()) proposals.push_back(std::move(all));
  }

  // What a waiter waits for is written between its look and its wait, unless the writer holds the wait's lock.
  void propose_lock(Proposals& proposals) const {
    for (const TraceEvent* write : writes_without_lock()) {
      for (const auto make : {&hold_lock, &hold_lock_from_notification}) {
        Proposal proposal = make(trace_, *write, mutex_);
        if (!proposal.parts.empty()) proposals.push_back(std::move(proposal));
      }
    }
  }

  void propose_look(Proposals& proposals, RuleKind rule) const {
    Proposal proposal{RemedyKind::kRecheck, {}, {}, false};
    for (const TraceEvent* wait : waits()) proposal.parts.push_back(part_at(trace_, rule, *wait));
    if (!proposal.parts.empty()) proposals.push_back(std::move(proposal));
  }

  // A signal that comes before the wait is not remembered: nobody looked whether there is something to wait for.
  void propose_look_before(Proposals& proposals) const {
    for (const TraceEvent* wait : waits()) {
      for (const TraceEvent* signal : places(trace_, [&](const TraceEvent& e) { return is_of_it(e); })) {
        RemedyPart part = part_at(trace_, RuleKind::kAfter, *signal);
        part.rule.other = place_of(trace_, *wait);
        part.other_shown = shown(trace_, *wait);
        proposals.push_back({RemedyKind::kRecheck, {std::move(part)}, {}, false});
      }
    }
  }

  bool is_of_it(const TraceEvent& e) const { return is_notification(e.kind) && e.address == condition_; }
  std::vector<const TraceEvent*> signals() const {
    return places(trace_, [&](const TraceEvent& e) {
      return e.kind == EventKind::kCondSignal && e.address == condition_;
    });
  }
  std::vector<const TraceEvent*> waits() const {
    return places(trace_, [&](const TraceEvent& e) {
      return e.kind == EventKind::kCondWait && e.address == condition_;
    });
  }

  // Those that a waiter has looked at first, then the nearest to a notification.
  std::vector<const TraceEvent*> writes_without_lock() const {
    std::set<Address> looked_at;
    for (const TraceEvent& e : trace_.events) {
      if (reads_memory(e.kind) && holds(e.thread, e.id)) looked_at.insert(e.address);
    }
    std::set<ThreadId> waiters;
    for (const TraceEvent& e : trace_.events) {
      if (e.kind == EventKind::kCondWait && e.address == condition_) waiters.insert(e.thread);
    }
    std::vector<const TraceEvent*> read, others;
    std::vector<CodePlace> known;
    for (std::size_t i = trace_.events.size(); i-- > 0 && read.size() + others.size() < kMostWrites;) {
      const TraceEvent& e = trace_.events[i];
      const bool changes = stores_atomically(e.kind) || e.kind == EventKind::kPlainWrite;
      if (!changes || holds(e.thread, e.id)) continue;
      const CodePlace place = place_of(trace_, e);
      if (std::find(known.begin(), known.end(), place) != known.end()) continue;
      known.push_back(place);
      (looked_at.contains(e.address) ? read : others).push_back(&e);
    }
    read.insert(read.end(), others.begin(), others.end());
    return read;
  }

  bool holds(ThreadId thread, EventId event) const {
    const auto locks = held_locks(trace_, thread, event);
    return std::any_of(locks.begin(), locks.end(),
                       [&](const HeldLock& lock) { return lock.address == mutex_; });
  }

  const Trace& trace_;
  Address condition_;
  Address mutex_ = 0;
};

}  // namespace

Proposals propose_for_waits(const RemedyTrial& trial) {
  Proposals proposals;
  const Trace& trace = trial.failing();
  // Those that a thread waits for in the end come first.
  std::vector<Address> conditions;
  const auto add = [&](Address condition) {
    if (std::find(conditions.begin(), conditions.end(), condition) == conditions.end())
      conditions.push_back(condition);
  };
  const auto is_condition = [&](Address address) {
    return std::any_of(trace.events.begin(), trace.events.end(), [&](const TraceEvent& e) {
      return e.kind == EventKind::kCondWait && e.address == address;
    });
  };
  for (const TracePart& part : trace.findings.front().parts) {
    const bool waits = part.role == PartRole::kBlockedThread || part.role == PartRole::kHere ||
                       part.role == PartRole::kWaits;
    if (waits && is_condition(part.address)) add(part.address);
  }
  for (const TraceEvent& e : trace.events) {
    if (e.kind == EventKind::kCondWait) add(e.address);
  }
  constexpr std::size_t kMostConditions = 4;
  if (conditions.size() > kMostConditions) conditions.resize(kMostConditions);
  for (const Address condition : conditions) Condition(trial, condition).propose(proposals);
  return proposals;
}

}  // namespace heddle::cause
