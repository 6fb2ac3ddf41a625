// The execution that a worker holds, from taking its index to its result in the ring.
//
// A worker is the zygote and one child of it at a time, which run these functions by turns: the child for the
// executions of its batch, the zygote for the first of them and for what a child left behind that has died.
// At every moment the channel's `phase` and the campaign's IndexClaims say what is held and how far it has
// come, so that no index, and no result, is lost with a process that is killed.
#pragma once

#include <cstdint>

#include "runtime/session/session_state.h"

namespace heddle::session {

std::uint64_t wall_nanoseconds();

// The next execution to run, once those are over that it needs: the one that is held, if a process died with
// it, else a new one. False: there is none.
bool take_execution(State& s, std::uint64_t& index);

// Prepares the channel for it; it is under way from here on.
void start_execution(State& s, std::uint64_t index);

// The execution under way is over, however it ended: notes and publishes its result.
void finish_execution(State& s);

// The process that ran executions has died: brings to its end what it held, or leaves it for
// take_execution() to be run once more, where it was killed from outside. `timed_out`: the zygote killed it.
void settle_after_death(State& s, int wait_status, bool timed_out);

}  // namespace heddle::session
