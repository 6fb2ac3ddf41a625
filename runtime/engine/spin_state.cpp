#include "runtime/engine/spin_state.h"

#include <unwind.h>

#include <initializer_list>

#include "core/base/random.h"
#include "runtime/engine/own_code.h"

namespace heddle::engine {
namespace {

constexpr std::uint64_t kStackBytes = 512;

struct Walk {
  std::uint64_t stack_pointer = 0;  // of the frame under the one being visited
  std::uint64_t hash = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const std::uint64_t pc = _Unwind_GetIP(context);
  if (is_own_code(pc)) {
    walk.stack_pointer = _Unwind_GetCFA(context);
    return _URC_NO_REASON;
  }
  walk.hash = mix(pc, walk.stack_pointer);
  for (const int callee_saved : {3, 6, 12, 13, 14, 15})
    walk.hash = mix(walk.hash, _Unwind_GetGR(context, callee_saved));
  const auto* words = reinterpret_cast<const std::uint64_t*>(walk.stack_pointer);
  for (std::uint64_t i = 0; walk.stack_pointer != 0 && i < kStackBytes / 8; ++i)
    walk.hash = mix(walk.hash, words[i]);
  return _URC_END_OF_STACK;
}

}  // namespace

std::uint64_t private_state() {
  Walk walk;
  _Unwind_Backtrace(visit, &walk);
  return walk.hash;
}

}  // namespace heddle::engine
