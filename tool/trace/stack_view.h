// Stacks as people want to see them: symbolised, without the runtime's own frames and without the library's
// way of starting a thread.
#pragma once

#include <string>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle {

// All activations, innermost first, inlined ones included; a pc without symbols is a Frame with an offset
// only.
std::vector<Frame> frames_of(const Trace& trace, std::uint64_t pc, StackId stack);

// Without heddle's frames and without what the C and C++ libraries do before main or a thread's
// function is called. Empty only where frames_of is.
std::vector<Frame> visible_frames(const Trace& trace, std::uint64_t pc, StackId stack);

// Is it the user's code: neither heddle's, nor in a system library, nor from a system header?
bool is_own_code(const Frame& frame);

// The place to blame: the innermost of the user's frames, else the innermost one that is not heddle's;
// nullptr where there is none.
const Frame* deciding_frame(const std::vector<Frame>& frames);

// Where two stacks of one thread part: the innermost function that both are in, at its two lines. A step that
// should have been one is in it, and so are two locks that are taken one after the other. Both are null where no
// function of the user's has two different lines.
struct Parting {
  const Frame* first = nullptr;
  const Frame* second = nullptr;
};
Parting parting_of(const std::vector<Frame>& first, const std::vector<Frame>& second);

// The user's outermost function of a thread, e.g. "producer"; empty where the trace does not tell.
std::string thread_function(const Trace& trace, ThreadId thread);

}  // namespace heddle
