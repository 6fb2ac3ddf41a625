// Ends what tested programs have started, also when heddle itself is killed.
//
// Workers and executions ask the kernel to die with their parent (PR_SET_PDEATHSIG); processes that a program
// starts cannot be made to, since many of them outlive their parent on purpose. So a process of its own waits
// at a socket until heddle has ended. If it was not ended by heddle itself, it kills whatever still holds the
// file that took the output of a program of this heddle: such files have no name, and are inherited also by
// what is started by exec, or goes into a session of its own. Only a process that closes all that it
// inherited gets away.
#pragma once

namespace heddle::run {

// From now on the holders of this file are to end with heddle. Starts the guard the first time.
void guard_output(int file);

}  // namespace heddle::run
