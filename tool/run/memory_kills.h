// Did the kernel kill processes because memory ran out? SIGKILL alone does not tell: anybody may send it.
#pragma once

namespace heddle::run {

// Takes the count from which memory_ran_out() goes.
void watch_memory_kills();

// The kernel has killed a process of this control group, or of this machine where groups are not counted,
// since then.
bool memory_ran_out();

}  // namespace heddle::run
