#include <algorithm>
#include <map>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

using Positions = std::vector<std::uint32_t>;  // in Trace::events

struct Gap {
  ThreadId thread;
  Positions before, after;  // operations that wait for their turn, the nearest first
  // Somebody wrote in it what the thread touched before and after.
  const TraceEvent* first_access = nullptr;
  const TraceEvent* last_access = nullptr;
  bool conflicts = false;
};

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
      gap.conflicts = true;
      return;
    }
  }
  gap.first_access = gap.last_access = nullptr;
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
    if (!gap.before.empty() && !gap.after.empty()) found.push_back(std::move(gap));
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

// The compiler may have made several copies of a line: all places that this operation is at.
std::vector<CodePlace> siblings(const RemedyTrial& trial, const ShownOperation& operation,
                                const CodePlace& place) {
  std::vector<CodePlace> places{place};
  std::vector<const Trace*> traces{&trial.failing()};
  if (trial.explanation().passing) traces.push_back(&trial.explanation().passing->trace);
  for (const Trace* trace : traces) {
    for (const TraceEvent& event : trace->events) {
      if (event.kind != operation.event.kind || event.pc == place.pc) continue;
      if (!is_same_line(shown(*trace, event).frame, operation.frame)) continue;
      const CodePlace other = place_of(*trace, event);
      if (std::find(places.begin(), places.end(), other) == places.end()) places.push_back(other);
    }
  }
  return places;
}

std::vector<RemedyPart> with_siblings(const RemedyTrial& trial, const RemedyPart& part) {
  constexpr std::size_t kMostCopies = 8;
  const auto begins = siblings(trial, part.shown, part.rule.place);
  const auto ends = siblings(trial, part.other_shown, part.rule.other);
  std::vector<RemedyPart> parts;
  for (std::size_t i = 0; i < std::min(kMostCopies, std::max(begins.size(), ends.size())); ++i) {
    parts.push_back(part);
    parts.back().rule.place = begins[std::min(i, begins.size() - 1)];
    parts.back().rule.other = ends[std::min(i, ends.size() - 1)];
  }
  return parts;
}

bool try_gap(RemedyTrial& trial, const Gap& gap, std::size_t reach) {
  const auto& events = trial.failing().events;
  // The shortest stretches first.
  for (std::size_t width = 0; width <= reach; ++width) {
    for (std::size_t back = 0; back <= width && back < gap.before.size(); ++back) {
      const std::size_t on = width - back;
      if (on >= gap.after.size() || !trial.time_left()) continue;
      const TraceEvent& last = events[gap.after[on]];
      RemedyPart part = stretch(trial.failing(), events[gap.before[back]], last.pc, last.stack, last.address);
      part.other_shown.event = last;
      if (gap.first_access != nullptr) {
        part.first_access = shown(trial.failing(), *gap.first_access);
        part.last_access = shown(trial.failing(), *gap.last_access);
      }
      const std::vector<RemedyPart> parts = with_siblings(trial, part);
      if (trial.helps(parts) && trial.accept(RemedyKind::kTogether, parts)) return true;
    }
  }
  return false;
}

}  // namespace

bool try_together(RemedyTrial& trial, bool only_conflicting) {
  constexpr std::size_t kMostGaps = 12, kReach = 5;
  trial.say("trying which operations should be one step");
  std::size_t tried = 0;
  for (const Gap& gap : gaps(trial.failing())) {
    if (gap.conflicts != only_conflicting || tried++ == kMostGaps || !trial.time_left()) continue;
    if (try_gap(trial, gap, kReach)) return true;
  }
  return false;
}

}  // namespace heddle::cause
