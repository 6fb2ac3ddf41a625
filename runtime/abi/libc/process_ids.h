// Who the program is. It sees the same process id in every execution; calls that take one translate it back.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace heddle::abi {

inline constexpr pid_t kProgramPid = 4711;

// The program's id as the kernel knows it. Ids of other processes stay as they are.
pid_t real_pid(pid_t pid);

// The last part of the program's path, cut to what the kernel keeps of it.
const char* program_short_name();

std::size_t main_stack_bytes();

}  // namespace heddle::abi
