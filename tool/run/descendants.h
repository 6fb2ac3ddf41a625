// The processes below this one. What a tested program started outlives the process that started it, also
// where that one was killed: it becomes a child of heddle's (PR_SET_CHILD_SUBREAPER), which ends it.
//
// Thread-safety: all functions may be called by several threads at once.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

namespace heddle::run {

// fork(); the child counts as one that heddle looks after, until forget_child() says that it was waited for.
pid_t fork_child();
void forget_child(pid_t pid);
// fork_child() of a child that wait() and waitpid(-1, …) pass over, and that raises no SIGCHLD: no caller of
// these has to know it. It is waited for with __WALL. The child may call the kernel only, and nothing of libc
// that takes a lock or memory: it is made past libc's fork().
pid_t fork_unseen_child();

// Waits for one of the other children, which a child left behind when it ended, and tells what it used.
// False: there is none.
bool await_orphan(rusage& usage);

// Kills and reaps all of these, and theirs, until there are none. Called when a process that ran a
// program has ended.
void end_orphans();

}  // namespace heddle::run
