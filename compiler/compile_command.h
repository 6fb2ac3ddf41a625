// `heddle cc` and `heddle c++`: the user's own compiler, with instrumentation and our runtime
// (docs/guide/commands.md).
#pragma once

#include <string>
#include <vector>

namespace heddle::compiler {

// Becomes the compiler (exec), so that exit status, output and signals are the compiler's own. Returns only
// if that could not be done, with the exit code for it and after a message on standard error. `args` follow
// `cc` or `c++`.
int compile_command(bool cxx, std::vector<std::string> args);

// What `heddle cc --help` prints before the compiler's own help.
std::string compile_help(bool cxx);

}  // namespace heddle::compiler
