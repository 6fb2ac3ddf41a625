// The kinds of remedies, a file for each group. propose_…() looks at the failing execution and answers what could be
// changed, what is nearest to the failure first; who asks has it tried. try_…() makes proposals out of what earlier
// trials showed, and has them tried itself; true: one was accepted.
#pragma once

#include "tool/cause/proposal.h"
#include "tool/cause/remedy_trial.h"

namespace heddle::cause {

// remedy_orders.cpp: stronger memory orders. Acquire and release first: they say most about what was meant,
// and cost least.
bool try_orders(RemedyTrial& trial);

// remedy_locks.cpp: a lock around plain accesses that race.
bool try_lock(RemedyTrial& trial);
// remedy_locks.cpp: a lock around lines of the user's that race, where each is many accesses: calls on a container.
bool try_locked_lines(RemedyTrial& trial);
// remedy_locks.cpp: the same accesses as atomic ones, with the weakest order that suffices.
bool try_atomic(RemedyTrial& trial);
// remedy_locks.cpp: of a race one access is made under a lock: the other one, too.
Proposals propose_held_lock(const RemedyTrial& trial);
// remedy_locks.cpp: each thread of a deadlock's cycle takes what it holds and what it waits for in one step.
Proposals propose_lock_order(const RemedyTrial& trial);
// remedy_locks.cpp: a lock that is held while a thread is joined that needs it.
Proposals propose_given_back(const RemedyTrial& trial);

// remedy_waits.cpp: notify_all, the lock of a wait around what it waits for, a wait that looks again.
Proposals propose_for_waits(const RemedyTrial& trial);

// remedy_lifetime.cpp: what was freed or destroyed too early.
Proposals propose_longer_life(const RemedyTrial& trial);

// remedy_together.cpp: operations that should be one step, since somebody came between who conflicts with both.
Proposals propose_together(const RemedyTrial& trial);
// remedy_together.cpp: the same wherever others ran in between.
Proposals propose_longer_steps(const RemedyTrial& trial);
// remedy_together.cpp: plain reads and writes of a race that make up one update.
Proposals propose_update(const RemedyTrial& trial);

// remedy_after.cpp: an operation that should come later. `only_first_writes`: only where somebody read what was not
// there yet.
Proposals propose_after(const RemedyTrial& trial, bool only_first_writes);
// remedy_after.cpp: of the two accesses of a race one that should come later, as where a thread was started before
// what it uses was set, or goes on with what was destroyed.
Proposals propose_race_after(const RemedyTrial& trial);

}  // namespace heddle::cause
