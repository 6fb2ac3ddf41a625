// Cancellation points: calls at which a request of pthread_cancel takes effect (POSIX 2.9.5.2).
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// Ends the running thread as a cancelled one if it was asked to; as pthread_testcancel.
void act_on_cancel(engine::Execution& e);
// Ends the running thread if a request to cancel it broke off the wait that it has just returned from.
void act_on_broken_wait(engine::Execution& e);

// Makes `call` a cancellation point. Where the request arrives too late to break off a wait, the call has had
// its effect, and the request stays pending.
template <typename Call>
auto cancellable(engine::Execution& e, Call call) {
  act_on_cancel(e);
  e.self().at_cancellation_point = e.self().cancel_before_effect = true;
  auto result = call();
  e.self().at_cancellation_point = e.self().cancel_before_effect = false;
  act_on_broken_wait(e);
  return result;
}

// The engine's way to end a thread that allows its cancellation at any moment.
void cancel_running_thread();

}  // namespace heddle::abi
