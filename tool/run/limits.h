// What the system does not give: limits of the shell (ulimit) and calls that a container denies, by name and
// with what to do about it.
#pragma once

#include <string>

#include "core/base/result.h"

namespace heddle::run {

// A system call failed with this errno value, in whole sentences.
std::string why_refused(const char* call, int error);

// Is there address space enough for a program under the runtime?
Status check_address_space();

// Is there stack enough for heddle itself?
Status check_stack();

// The first of three neighbouring descriptors for the runtime, as far up as they can be: no program should
// come across them.
Result<int> first_runtime_descriptor();

}  // namespace heddle::run
