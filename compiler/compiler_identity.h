// Which compiler `heddle cc` wraps, and what kind of compiler it is.
//
// The compiler is a command: one word as a rule, more with a launcher ("ccache g++"). Its kind is read off
// its name after symbolic links (c++ → x86_64-linux-gnu-g++-12, clang++ → /usr/lib/llvm-19/bin/clang), which
// costs nothing; only a name that does not tell makes heddle ask the compiler for its predefined macros
// (about 20 ms).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace heddle::compiler {

enum class Family { kGcc, kClang };

struct CompilerIdentity {
  Family family = Family::kGcc;
  int major = 0;
  bool x86_64 = true;
  bool cxx = false;  // called as a C++ compiler: links the C++ library
};

// What a program's file name alone says; `major` is 0 and `family` empty where it says nothing.
struct NameHint {
  std::optional<Family> family;
  int major = 0;
  bool x86_64 = true;
};
NameHint hint_from_name(std::string_view path);

// What the output of `-E -dM` says; empty if it is neither compiler's.
std::optional<CompilerIdentity> identity_from_macros(std::string_view macros);

// Takes the last --compiler=COMMAND out of `args`; else $HEDDLE_CXX or $HEDDLE_CC; else c++ or cc.
std::vector<std::string> choose_compiler(bool cxx, std::vector<std::string>& args);

// Takes every --full out of `args`: was there one?
bool take_full(std::vector<std::string>& args);
// The compiler of a --full build, whose pass is a plugin of one version of clang: the one that the user
// named, if any, else clang 19 under the name that distributions give it.
inline constexpr int kFullClang = 19;
std::vector<std::string> choose_full_compiler(bool cxx, std::vector<std::string>& args);

Result<CompilerIdentity> identify(bool cxx, const std::vector<std::string>& command);

// The standard output of a command, or an error if it could not be run or failed.
Result<std::string> output_of(const std::vector<std::string>& command);

// `name` as execvp would find it, or empty.
std::string find_on_path(const std::string& name);

}  // namespace heddle::compiler
