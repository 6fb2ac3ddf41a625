#include "tool/cause/remedy_places.h"

#include <algorithm>

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

ShownOperation shown(const Trace& trace, const TraceEvent& event) {
  ShownOperation operation = shown(trace, event.pc, event.stack, event.address);
  operation.event = event;
  return operation;
}

bool is_same_line(const Frame& a, const Frame& b) {
  return a.line != 0 && a.line == b.line && a.column == b.column && a.file == b.file;
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
