// What a gcc or clang command line asks for, as far as heddle must know: whether it compiles, whether it
// links, what kind of link, and which sanitizers the user named. Everything else is the compiler's business.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace heddle::compiler {

enum class Goal {
  kQuery,    // prints something (--version, -print-…, no input at all): nothing may be added
  kCompile,  // ends before the linker: -c, -S, -E, -M, -fsyntax-only, a precompiled header
  kLink,     // runs the linker, after compiling if there are sources
};

struct CommandLine {
  Goal goal = Goal::kQuery;
  bool relocatable = false;            // -r: an object from objects, without libraries
  bool fully_static = false;           // -static or -static-pie
  bool other_target = false;           // -m32, -mx32 or a --target= that is not x86-64
  std::set<std::string> sanitizers;    // those that are on after all -fsanitize= and -fno-sanitize=
  std::set<std::string> llvm_options;  // every -mllvm option
  std::vector<std::string> inputs;
};

// `args` are the arguments after the compiler's name, with response files expanded.
CommandLine parse_command_line(const std::vector<std::string>& args);

}  // namespace heddle::compiler
