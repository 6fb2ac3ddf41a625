#include <set>

#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

const TraceEvent* turn_at_or_before(const Trace& trace, const TraceEvent& event) {
  const TraceEvent* found = nullptr;
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && takes_turn(e) && e.id <= event.id) found = &e;
  }
  return found;
}

const TraceEvent* turn_at_or_after(const Trace& trace, const TraceEvent& event) {
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && e.id >= event.id && (takes_turn(e) || e.kind == EventKind::kThreadEnd))
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
