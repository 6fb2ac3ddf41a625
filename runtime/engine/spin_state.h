// The private state of a thread that is about to perform a visible operation: what a loop would have to
// change to be anything but a spin.
#pragma once

#include <cstdint>

namespace heddle::engine {

// A hash of the program's pc, its callee-saved registers and the innermost bytes of its stack, as seen from
// the runtime function that the program called. Two visits of one place with equal state, and no change of
// memory between them, are two turns of a loop that nothing inside the thread can end. Takes a few
// microseconds.
std::uint64_t private_state();

}  // namespace heddle::engine
