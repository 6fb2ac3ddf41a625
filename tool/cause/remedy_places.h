// Operations of a trace as a remedy names them: to people by their line, to the engine by their place in the
// code.
#pragma once

#include <vector>

#include "tool/cause/remedy_trial.h"
#include "tool/cause/trials.h"

namespace heddle::cause {

// Does the thread wait for its turn to do it?
bool takes_turn(const Event& event);

ShownOperation shown(const Trace& trace, std::uint64_t pc, StackId stack, Address address);
ShownOperation shown(const Trace& trace, const TraceEvent& event);

bool is_same_line(const Frame& a, const Frame& b);

// A stretch that is one step: from `first` until the thread has performed what is at the other place.
RemedyPart stretch(const Trace& trace, const TraceEvent& first, std::uint64_t pc, StackId stack,
                   Address address);

}  // namespace heddle::cause
