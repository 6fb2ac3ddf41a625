#include <set>

#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

// A plain access is a turn of its own where it is a choice.
bool has_turn(const Trace& trace, const TraceEvent& e) {
  return takes_turn(e) || (is_plain_access(e.kind) && trace.spec.visible.has(e.pc, e.address, e.size));
}

const TraceEvent* turn_at_or_before(const Trace& trace, const TraceEvent& event) {
  const TraceEvent* found = nullptr;
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && has_turn(trace, e) && e.id <= event.id) found = &e;
  }
  return found;
}

const TraceEvent* turn_at_or_after(const Trace& trace, const TraceEvent& event) {
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && e.id >= event.id &&
        (has_turn(trace, e) || e.kind == EventKind::kThreadEnd))
      return e.kind == EventKind::kThreadEnd ? nullptr : &e;
  }
  return nullptr;
}

// How many threads do this, by the line of the source.
std::size_t threads_at(const Trace& trace, const TraceEvent& event) {
  std::set<ThreadId> threads;
  const Frame frame = shown(trace, event).frame;
  for (const TraceEvent& e : trace.events) {
    if (e.kind == event.kind && is_same_line(shown(trace, e).frame, frame)) threads.insert(e.thread);
  }
  return threads.size();
}

}  // namespace

bool try_race_after(RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const TraceFinding& finding = trace.findings.front();
  if (finding.kind != FindingKind::kDataRace) return false;
  std::vector<const TracePart*> accesses;
  for (const TracePart& part : finding.parts) {
    const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
    if (is_access && (is_plain(part.access) || part.access == AccessKind::kFree)) accesses.push_back(&part);
  }
  if (accesses.size() != 2) return false;
  trial.say("trying which of the two accesses should wait for the other one");
  const auto attempt = [&](const TracePart& late, const TracePart& early) {
    if (!trial.time_left()) return false;
    RemedyPart part;
    part.rule.kind = RuleKind::kAfter;
    part.rule.place = place_of(trace, late.pc, late.stack);
    part.rule.other = place_of(trace, early.pc, early.stack);
    part.shown = shown(trace, late.pc, late.stack, late.address);
    part.other_shown = shown(trace, early.pc, early.stack, early.address);
    return trial.removes_consequences(Rules{part.rule}) && trial.accept_visible(RemedyKind::kAfter, {part});
  };
  // A value is set before it is used, and memory is freed when nobody uses it any more.
  const bool first_writes = accesses[0]->access == AccessKind::kWrite;
  const TracePart& writer = first_writes ? *accesses[0] : *accesses[1];
  const TracePart& reader = first_writes ? *accesses[1] : *accesses[0];
  return attempt(reader, writer) || attempt(writer, reader);
}

bool try_after(RemedyTrial& trial) {
  if (!trial.explanation().passing) return false;
  trial.say("trying which operation should wait for another one");
  const Trace& passing = trial.explanation().passing->trace;
  const auto attempt = [&](const Trace& late_trace, const TraceEvent* late, const Trace& early_trace,
                           const TraceEvent* early) {
    if (late == nullptr || early == nullptr || late->thread == early->thread) return false;
    const TraceEvent* place = turn_at_or_before(late_trace, *late);
    const TraceEvent* other = turn_at_or_after(early_trace, *early);
    if (place == nullptr || other == nullptr || !trial.time_left()) return false;
    // Where several threads come to the place, none of them can be the one that has to wait.
    if (threads_at(late_trace, *late) > 1 || threads_at(early_trace, *early) > 1) return false;
    RemedyPart part;
    part.rule.kind = RuleKind::kAfter;
    part.rule.place = place_of(late_trace, *place);
    part.rule.other = place_of(early_trace, *other);
    // What people know is the access itself.
    part.shown = shown(late_trace, *late);
    part.other_shown = shown(early_trace, *early);
    return trial.helps(Rules{part.rule}) && trial.accept(RemedyKind::kAfter, {part});
  };
  for (std::size_t i = 0; i < trial.explanation().failing.flows.size(); ++i) {
    const Flow& fails = trial.explanation().failing.flows[i];
    const Flow& passes = trial.explanation().passing->flows[i];
    const auto event = [](const Trace& trace, EventId id) {
      return id == kNoEvent ? nullptr : trace.find_event(id);
    };
    // The read should have seen what it sees when all is well.
    if (attempt(trial.failing(), event(trial.failing(), fails.reader), passing,
                event(passing, passes.writer)))
      return true;
    // What it should not have seen should have come later.
    if (attempt(trial.failing(), event(trial.failing(), fails.writer), passing,
                event(passing, passes.reader)))
      return true;
  }
  return false;
}

}  // namespace heddle::cause
