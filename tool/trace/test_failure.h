// What a test framework said of a check that failed, read from the program's output. The exit status of a test
// program says only that something failed; the output says what, and where.
//
// GoogleTest's lines are known (docs of GoogleTest, "Assertions"; format of PrintTestPartResult). Another framework
// is another reader in test_failure.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle {

struct TestFailure {
  std::string framework;   // "GoogleTest"
  std::string test;        // "Cache.EvictsOldest"; empty: not known
  std::string file;        // as printed; empty: the framework did not know
  std::uint32_t line = 0;  // 0: not known
  std::string text;        // what was expected and what came, in one line
};

// The first check that failed; nothing where no framework's failure is in the output.
std::optional<TestFailure> first_test_failure(std::string_view output);

struct Symbols;

// The file of the failure as debug information names it, which is where its lines are found; empty where the
// program has no code of such a file. A name that only the output has is not trusted with reading a file.
std::string source_file_of(const TestFailure& failure, const Symbols& symbols);

}  // namespace heddle
