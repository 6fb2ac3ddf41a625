// One program built three ways, to be compared: with heddle, with ThreadSanitizer, and as it is.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

inline const std::vector<std::string> kBuildKinds = {"heddle", "tsan", "native"};

// The words that begin a call of the compiler.
std::vector<std::string> compile_command(const std::string& kind, const std::string& heddle,
                                         const std::string& compiler, bool cxx);

// The C compiler that belongs to a C++ compiler: g++-12 and gcc-12, clang++-19 and clang-19.
std::string c_compiler_of(std::string compiler);

// Adds words to a command.
void append(std::vector<std::string>& words, const std::vector<std::string>& more);

}  // namespace heddle::bench
