// What a thread is created with: part of it is for the engine, the rest is told back to the program when it
// asks.
#pragma once

#include <pthread.h>
#include <sched.h>

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

struct CreationRequest {
  sched::StackRequest stack;
  std::size_t guard_bytes = 0;
  bool detached = false;
  bool own_scheduling = false;  // not its creator's
  int policy = SCHED_OTHER;
  sched_param parameters{};
  bool own_affinity = false;
  cpu_set_t affinity{};
  bool own_signal_mask = false;
  sched::SignalSet signal_mask = 0;
};

// What these attributes (nullptr: the defaults) ask for. 0, or the error of pthread_create.
int read_attributes(const pthread_attr_t* attributes, CreationRequest& request);

// Notes them for a thread that was just created.
void keep_attributes(engine::Execution& e, sched::Thread& t, const CreationRequest& request);

// Program-side thread ids (gettid): the process id and the ones after it.
sched::Thread* thread_of_tid(engine::Execution& e, pid_t tid);

}  // namespace heddle::abi
