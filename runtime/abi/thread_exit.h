// What runs when a thread ends, in libc's order: thread_local destructors, then pthread keys' destructors.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

void run_key_destructors(engine::Execution& e);
[[noreturn]] void exit_thread(engine::Execution& e, void* result);

}  // namespace heddle::abi
