// The symbolic trace's beginning and end; in between compiled code calls __heddle_* (symbolic_calls.cpp).
#pragma once

#include "core/base/ids.h"

namespace heddle::abi {

// Begins one if the execution is asked for it. REQUIRES: the engine runs.
void start_symbolic_trace();

// In a process that the program forked for itself: what it does is no part of the trace.
void end_symbolic_trace();

// The running thread's failure ends the execution. `address`: of the access that faulted, if one did.
void note_failure(bool faulted, Address address);

// The program ends with this status.
void note_exit(int status);

}  // namespace heddle::abi
