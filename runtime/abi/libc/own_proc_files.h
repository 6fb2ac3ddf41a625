// The program's threads as files: /proc/self/task and what lies in it. The kernel knows of one thread only.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// A descriptor of what the kernel would show of the program's threads under this path, which is opened for
// reading: the name of a thread (…/comm), or …/status with the number of threads. -1: none of our business.
int open_own_proc_file(engine::Execution& e, const char* path);

}  // namespace heddle::abi
