// Which environment variables belong to an execution, and which of an artifact's may be applied.
//
// An artifact can come from anywhere. Its variables are data; applied to a program they become more than that
// where they decide which code runs or which files are written. Those are *steering* variables: a table with
// reasons (environment.cpp). Of an artifact they are applied only if the user trusts it.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// What a variable of this name decides, in a few words ("which code is loaded"); empty: it steers nothing.
std::string_view steering_reason(std::string_view name);

// Variables that the dynamic linker and libc read without getenv(): nobody sees the program ask for them.
bool is_read_by_libc(std::string_view name);

}  // namespace heddle
