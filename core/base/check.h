// HEDDLE_CHECK: an invariant of our own, checked in release builds too. Used where the caller cannot
// continue; bugs of the tested program are Findings and errors of the user are Results, never checks.
#pragma once

namespace heddle {

// Prints `heddle: internal error: …` with the place to standard error by raw system calls and ends the
// process with kInternalErrorStatus, which the tool reports as exit code 3. `file` is a bare name: an installed
// heddle has no folder of the machine that built it in it.
[[noreturn]] void check_failed(const char* file, int line, const char* condition) noexcept;
inline constexpr int kInternalErrorStatus = 113;

}  // namespace heddle

#define HEDDLE_CHECK(condition)                      \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::heddle::check_failed(__FILE_NAME__, __LINE__, #condition))
