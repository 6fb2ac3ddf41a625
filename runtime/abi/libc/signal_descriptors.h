// timerfd and signalfd are not the kernel's under the engine: they follow virtual time and virtual signals.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// The program closes the descriptor.
void forget_timer_descriptor(engine::Execution& e, int descriptor);
void forget_signal_descriptor(int descriptor);

// Writes a pending signal into a signalfd that wants it. False: there is none.
bool divert_to_descriptor(const sched::QueuedSignal& signal);

}  // namespace heddle::abi
