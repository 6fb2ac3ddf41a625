// The processes below this one. What a tested program started outlives the process that started it, also
// where that one was killed: it becomes a child of heddle's (PR_SET_CHILD_SUBREAPER), which ends it.
//
// Thread-safety: all functions may be called by several threads at once.
#pragma once

#include <sys/types.h>

#include <vector>

namespace heddle::run {

// fork(); the child counts as one that heddle looks after, until forget_child() says that it was waited for.
pid_t fork_child();
void forget_child(pid_t pid);

// The other children: what a child left behind when it ended.
std::vector<pid_t> orphans();

// Kills and reaps all orphans, and theirs, until there are none. Called when a process that ran a
// program has ended.
void end_orphans();

}  // namespace heddle::run
