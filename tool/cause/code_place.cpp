#include "tool/cause/code_place.h"

#include <algorithm>

#include "tool/trace/stack_view.h"

namespace heddle::cause {
namespace {

bool is_own(const Trace& trace, std::uint64_t pc) {
  const auto frames = frames_of(trace, pc, kEmptyStack);
  return std::any_of(frames.begin(), frames.end(), is_own_code);
}

}  // namespace

CodePlace place_of(const Trace& trace, std::uint64_t pc, StackId stack) {
  CodePlace place;
  place.pc = pc;
  if (is_own(trace, pc)) return place;
  std::uint32_t count = 0;
  for (StackId at = stack; at != kEmptyStack && count < CodePlace::kMostCallers;) {
    const TraceStackNode& node = trace.stacks[index_of(at)];
    place.callers[count++] = node.pc;
    if (is_own(trace, node.pc)) return place;
    at = node.caller;
  }
  // Nobody of the user's is near: the operation wherever it is called from.
  std::fill(std::begin(place.callers), std::end(place.callers), 0);
  return place;
}

CodePlace place_of(const Trace& trace, const TraceEvent& event) {
  return place_of(trace, event.pc, event.stack);
}

}  // namespace heddle::cause
