// Native runs that are recorded (runtime/record): how the interposed functions tell the recorder. Every call
// does nothing where nothing is recorded.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "runtime/record/recorder.h"

namespace heddle::abi {

// Looks at HEDDLE_RECORD. REQUIRES: no engine. Answers what __heddle_mode has to be.
record::Mode start_recording(const char* const* arguments, const char* const* environment);
record::Recorder& recorder();
// Who the running thread is.
record::ThreadIdentity& recorded_thread();

// What a thread that is about to be created will run; nothing is changed where nothing is recorded.
// drop_recorded_start: it was not created after all.
void wrap_recorded_start(void* (*&start)(void*), void*& argument);
void drop_recorded_start(void* argument);

// sigaction, with the program's handlers wrapped.
int recorded_sigaction(int signal, const struct sigaction* wanted, struct sigaction* old);
sighandler_t recorded_signal(int signal, sighandler_t handler, int flags);

// In a child of fork.
void stop_recording_in_child();

// A module was loaded whose code was compiled for another version of this library: none of its bodies but the
// plain ones can run. What is recorded ends here; an execution under the engine as well.
void refuse_module();

}  // namespace heddle::abi
