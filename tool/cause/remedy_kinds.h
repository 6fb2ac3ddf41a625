// The kinds of remedies, one file for each. Each function makes proposals and has them tried; true: one was
// accepted.
#pragma once

#include "tool/cause/remedy_trial.h"

namespace heddle::cause {

// remedy_orders.cpp: stronger memory orders. Acquire and release first: they say most about what was meant,
// and cost least.
bool try_orders(RemedyTrial& trial);

// remedy_locks.cpp: a lock around plain accesses that race.
bool try_lock(RemedyTrial& trial);
// remedy_locks.cpp: each thread of a deadlock's cycle takes what it holds and what it waits for in one step.
bool try_locks_together(RemedyTrial& trial);

// remedy_together.cpp: operations that should be one step. `only_conflicting`: only where somebody else wrote
// in between what the thread touched before and after.
bool try_together(RemedyTrial& trial, bool only_conflicting);

// remedy_after.cpp: an operation that should come later.
bool try_after(RemedyTrial& trial);
// remedy_after.cpp: of the two accesses of a race one that should come later, as where a thread was started before
// what it uses was set, or goes on with what was destroyed.
bool try_race_after(RemedyTrial& trial);

}  // namespace heddle::cause
