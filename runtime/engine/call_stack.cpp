#include "runtime/engine/call_stack.h"

#include <unwind.h>

#include "runtime/engine/own_code.h"

namespace heddle::engine {
namespace {

// Deep recursion: the outermost and the innermost frames tell the story, as in Stacks::below.
constexpr std::uint32_t kInnermost = 32;
constexpr std::uint32_t kOutermost = 32;
constexpr std::uint32_t kMostVisited = 20000;

struct Walk {
  bool outside = false;  // has left the runtime's own frames
  std::uint32_t visited = 0;
  std::uint32_t inner_count = 0;
  std::uint32_t outer_count = 0;  // ever; the ring holds the last kOutermost
  std::uint64_t inner[kInnermost] = {};
  std::uint64_t outer[kOutermost] = {};
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  if (++walk.visited > kMostVisited) return _URC_END_OF_STACK;
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (pc == 0) return _URC_END_OF_STACK;
  if (!walk.outside) {
    walk.outside = !is_own_code(pc);
  } else if (walk.inner_count < kInnermost) {
    walk.inner[walk.inner_count++] = pc;
  } else {
    walk.outer[walk.outer_count++ % kOutermost] = pc;
  }
  return _URC_NO_REASON;
}

}  // namespace

StackId unwound_callers(StackDepot& depot) {
  Walk walk;
  _Unwind_Backtrace(visit, &walk);
  StackId id = kEmptyStack;
  const std::uint32_t kept = walk.outer_count < kOutermost ? walk.outer_count : kOutermost;
  for (std::uint32_t i = 0; i < kept; ++i)
    id = depot.push(id, walk.outer[(walk.outer_count - 1 - i) % kOutermost]);
  for (std::uint32_t i = walk.inner_count; i-- > 0;) id = depot.push(id, walk.inner[i]);
  return id;
}

}  // namespace heddle::engine
