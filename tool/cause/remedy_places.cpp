#include "tool/cause/remedy_places.h"

#include <algorithm>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/trace/stack_view.h"

namespace heddle::cause {
namespace {

// Return addresses, the outermost first: each stands for a function that has not returned.
std::vector<std::uint64_t> calls_of(const Trace& trace, StackId stack) {
  std::vector<std::uint64_t> calls;
  for (StackId at = stack; at != kEmptyStack; at = trace.stacks[index_of(at)].caller)
    calls.push_back(trace.stacks[index_of(at)].pc);
  std::reverse(calls.begin(), calls.end());
  return calls;
}

}  // namespace

bool takes_turn(const Event& event) {
  switch (event.kind) {
    case EventKind::kPlainRead:
    case EventKind::kPlainWrite:
    case EventKind::kThreadStart:
    case EventKind::kThreadEnd:
    case EventKind::kAllocate:
    case EventKind::kFree:
    case EventKind::kNote:
    case EventKind::kOutcome:
    case EventKind::kFinding:
    case EventKind::kExit:
    case EventKind::kCondWake:
    case EventKind::kNone:
      return false;
    default:
      return true;
  }
}

ShownOperation shown(const Trace& trace, std::uint64_t pc, StackId stack, Address address) {
  ShownOperation operation;
  const std::vector<Frame> frames = visible_frames(trace, pc, stack);
  if (const Frame* frame = deciding_frame(frames)) operation.frame = *frame;
  const auto symbol = trace.symbols.data.find(address);
  if (symbol != trace.symbols.data.end()) operation.variable = symbol->second.name;
  return operation;
}

ShownOperation shown_end(const Trace& trace, std::uint64_t pc, StackId stack, Address address) {
  ShownOperation operation = shown(trace, pc, stack, address);
  for (const Frame& frame : visible_frames(trace, pc, stack)) {
    if (!is_own_code(frame) || frame.function.find('~') != std::string::npos) continue;
    operation.frame = frame;
    break;
  }
  return operation;
}

ShownOperation shown(const Trace& trace, const TraceEvent& event) {
  ShownOperation operation = shown(trace, event.pc, event.stack, event.address);
  operation.event = event;
  return operation;
}

const TraceEvent* creation_of(const Trace& trace, ThreadId thread) {
  const auto found = std::find_if(trace.events.begin(), trace.events.end(), [&](const TraceEvent& e) {
    return e.kind == EventKind::kThreadCreate && e.other == thread;
  });
  return found != trace.events.end() ? &*found : nullptr;
}

const TraceEvent* turn_after(const Trace& trace, const TraceEvent& start, EventId last, std::uint64_t pc) {
  if (last == kNoEvent || last < start.id) last = start.id;
  for (const TraceEvent& e : trace.events) {
    if (e.thread == start.thread && e.pc == pc && e.id > last) last = e.id;
  }
  for (const TraceEvent& e : trace.events) {
    const bool is_start = e.kind == EventKind::kThreadCreate && e.pc == start.pc && e.stack == start.stack;
    if (e.thread == start.thread && e.id > last && takes_turn(e) && !is_start) return &e;
  }
  return nullptr;
}

bool is_same_line(const Frame& a, const Frame& b) {
  return a.line != 0 && a.line == b.line && a.column == b.column && a.file == b.file;
}

Proposal hold_lock(const Trace& trace, const TraceEvent& write, Address lock) {
  Proposal proposal{RemedyKind::kHoldLock, {}, {}, false};
  std::vector<CodePlace> known;
  for (const TraceEvent& event : trace.events) {
    if (!takes_lock(event.kind) || event.address != lock) continue;
    RemedyPart part;
    part.rule.kind = RuleKind::kHoldLock;
    part.rule.place = place_of(trace, write);
    part.rule.other = place_of(trace, event);
    if (std::find(known.begin(), known.end(), part.rule.other) != known.end()) continue;
    known.push_back(part.rule.other);
    part.shown = shown(trace, write);
    part.other_shown = shown(trace, event);
    part.lock = part.other_shown.variable;
    proposal.parts.push_back(std::move(part));
  }
  if (is_plain_access(write.kind)) proposal.turns.push_back(write.pc);
  return proposal;
}

std::vector<CodePlace> siblings(const RemedyTrial& trial, EventKind kind, const Frame& frame,
                                const CodePlace& place) {
  std::vector<CodePlace> places{place};
  std::vector<const Trace*> traces{&trial.failing()};
  if (trial.explanation().passing) traces.push_back(&trial.explanation().passing->trace);
  for (const Trace* trace : traces) {
    for (const TraceEvent& event : trace->events) {
      // (Where a library did it, its callers tell places apart.)
      if (event.kind != kind || (event.pc == place.pc && place.callers[0] == 0)) continue;
      if (!is_same_line(trial.frame_of(*trace, event), frame)) continue;
      const CodePlace other = place_of(*trace, event);
      if (std::find(places.begin(), places.end(), other) == places.end()) places.push_back(other);
    }
  }
  return places;
}

void add_siblings(const RemedyTrial& trial, Proposal& proposal) {
  const Trace& trace = trial.failing();
  const auto copies_of = [&](const CodePlace& place) {
    const auto found = std::find_if(trace.events.begin(), trace.events.end(), [&](const TraceEvent& e) {
      return e.pc == place.pc && place_of(trace, e) == place;
    });
    if (found == trace.events.end()) return std::vector<CodePlace>{place};
    return siblings(trial, found->kind, trial.frame_of(trace, *found), place);
  };
  const std::vector<RemedyPart> parts = proposal.parts;
  const auto add = [&](RemedyPart part, const CodePlace& place, const CodePlace& other) {
    part.rule.place = place;
    part.rule.other = other;
    const bool known = std::any_of(proposal.parts.begin(), proposal.parts.end(), [&](const RemedyPart& o) {
      return o.rule.kind == part.rule.kind && o.rule.place == place && o.rule.other == other;
    });
    if (!known && proposal.parts.size() < kMostRules) proposal.parts.push_back(std::move(part));
  };
  for (const RemedyPart& part : parts) {
    const std::vector<CodePlace> begins = copies_of(part.rule.place);
    const std::vector<CodePlace> ends = copies_of(part.rule.other);
    // The n-th copy of the one belongs to the n-th of the other, where both have as many.
    for (std::size_t i = 1; i < std::max(begins.size(), ends.size()); ++i)
      add(part, begins[std::min(i, begins.size() - 1)], ends[std::min(i, ends.size() - 1)]);
  }
  std::vector<std::uint64_t> turns = proposal.turns;
  for (const std::uint64_t pc : turns) {
    for (const CodePlace& place : copies_of({pc, {}})) {
      if (place.pc != pc) proposal.turns.push_back(place.pc);
    }
  }
}

Proposal hold_lock_from_notification(const Trace& trace, const TraceEvent& write, Address lock) {
  const TraceEvent* notification = nullptr;
  for (const TraceEvent& event : trace.events) {
    if (event.thread != write.thread || &event == &write) continue;
    if (write.id != kNoEvent && event.id > write.id) break;
    if (takes_turn(event)) notification = nullptr;
    if (event.kind == EventKind::kCondSignal || event.kind == EventKind::kCondBroadcast)
      notification = &event;
  }
  if (notification == nullptr) return {};
  Proposal proposal = hold_lock(trace, *notification, lock);
  if (proposal.parts.empty()) return {};
  RemedyPart step = stretch(trace, *notification, write.pc, write.stack, write.address);
  step.lock = proposal.parts.front().lock;
  // What is said is the write.
  for (RemedyPart& part : proposal.parts) part.shown = shown(trace, write);
  proposal.parts.push_back(std::move(step));
  if (is_plain_access(write.kind)) proposal.turns.push_back(write.pc);
  return proposal;
}

RemedyPart stretch(const Trace& trace, const TraceEvent& first, std::uint64_t pc, StackId stack,
                   Address address) {
  RemedyPart part;
  part.rule.kind = RuleKind::kTogether;
  part.rule.place = place_of(trace, first);
  part.shown = shown(trace, first);
  part.rule.other = place_of(trace, pc, stack);
  part.other_shown = shown(trace, pc, stack, address);
  const auto calls = calls_of(trace, first.stack);
  const auto end_calls = calls_of(trace, stack);
  std::size_t common = 0;
  while (common < calls.size() && common < end_calls.size() && calls[common] == end_calls[common]) ++common;
  part.rule.frames_left = static_cast<std::uint8_t>(std::min<std::size_t>(calls.size() - common, 255));
  return part;
}

}  // namespace heddle::cause
