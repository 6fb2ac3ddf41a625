// What a thread was created with, beyond what the engine needs: told back to the program when it asks.
#pragma once

#include <pthread.h>

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// Notes the attributes (nullptr: the defaults) of a thread that was just created.
void keep_attributes(engine::Execution& e, const sched::Thread& t, const pthread_attr_t* attributes,
                     std::size_t stack_bytes);

// Program-side thread ids (gettid): the process id and the ones after it.
sched::Thread* thread_of_tid(engine::Execution& e, pid_t tid);

}  // namespace heddle::abi
