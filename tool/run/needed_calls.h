// The system calls that heddle cannot do without. Where one is denied, as a container's seccomp profile may
// do, a command says so before it begins: later it would hang, or see a failure of the program that is none.
//
// Each call is tried with arguments for which it does nothing. What is not here is optional: where it is
// denied something is slower, or is said not to be there (docs/guide/confined.md).
#pragma once

#include "core/base/result.h"

namespace heddle::run {

enum class CallNeed { kFiles, kPrograms };

// An error names the first call that is denied. kFiles: for a command that reads and writes files;
// kPrograms: also for one that runs a program.
Status check_needed_calls(CallNeed need);

}  // namespace heddle::run
