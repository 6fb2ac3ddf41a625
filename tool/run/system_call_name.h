// How a message calls a system call.
#pragma once

#include <string>

namespace heddle::run {

// The calls that programs make most while they run, and those that they wait in; others are told by number.
std::string system_call_name(long number);

}  // namespace heddle::run
