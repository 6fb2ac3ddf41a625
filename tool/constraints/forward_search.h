// Looks for an order by executing the trace in thought, depth first: a thread goes on until one of its
// branches would come out otherwise than it did: then it waits, as for a lock, and where that leads nowhere
// another one gets its turn earlier. Where branches tell much of what was read, as they do where threads look
// things up in shared tables, a wrong turn shows soon, and this is quicker than clauses. It may overlook
// orders (threads change places at locks and atomic operations only): what it does not find is left to the
// solver.
#pragma once

#include <optional>
#include <span>

#include "tool/constraints/simulate.h"

namespace heddle::constraints {

// An order of all actions, under sequential consistency, in which the bug shows, or does not: the goal of
// `structure`. At most so many actions are executed.
std::optional<Schedule> search_forward(const Structure& structure, bool with_soft, std::uint64_t most_steps);

// One that ends with the failure, of a thread whose actions end there: what other threads would have done
// later never happens, and need not fit. With few preemptions first (Musuvathi and Qadeer,
// "Iterative context bounding", PLDI 2007). `before`: actions that come before it.
std::optional<Schedule> search_to_failure(const Structure& structure, bool with_soft,
                                          std::uint64_t most_steps, std::span<const ActionId> before = {});

// How far a thread is to come.
struct WantedThread {
  ThreadId thread = kMainThread;
  ActionId until = kNoAction;  // its last action that has to be; kNoAction: all have
};
// An order in which as many as possible of the threads `wanted` come so far, wherever the others are by then.
// Who ends with a wait that nobody ended has to be signalled. `last`, one of them, makes its last step after
// the others have come as far as they are to. Empty: none does. `arrived`: who does.
Schedule search_along(const Structure& structure, std::span<const WantedThread> wanted, ThreadId last,
                      std::uint64_t most_steps, std::vector<ThreadId>& arrived);

}  // namespace heddle::constraints
