// What runs when a thread ends, in libc's order: thread_local destructors, then pthread keys' destructors.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

void run_key_destructors(engine::Execution& e);
// The process leaves the engine: the calling thread's values go over to libc's keys.
void hand_keys_to_libc(engine::Execution& e);
[[noreturn]] void exit_thread(engine::Execution& e, void* result);

}  // namespace heddle::abi
