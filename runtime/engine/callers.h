// Which code is instrumented, and whose call of memcpy is it? The memory and string functions are interposed
// for every module of the process, but only what instrumented code asks for is an access of the program:
// libraries that were not compiled by heddle may synchronise by means that cannot be seen. The one exception
// are the members of std::string that live in libstdc++ or libc++, and of the file below libstdc++'s
// std::filebuf: they do what their caller asked for, with the caller's memory.
#pragma once

#include <cstdint>

namespace heddle::engine {

// Looks at the modules that are loaded now. Later ones are found when they first call.
void find_callers();

// Looks at the modules again if any were loaded since.
void find_new_callers();

// Forgets what is known of call sites: a module may have been unloaded.
void forget_callers();

enum class Caller : std::uint8_t { kLibrary = 0, kStringMember, kInstrumented };

struct KnownCall {
  std::uint64_t return_address;
  Caller caller;
  std::uint8_t library;  // the watched library that it lies in, or kNoLibrary (library_watch.h)
};
inline constexpr std::uint32_t kKnownCalls = 4096;
extern KnownCall known_calls[kKnownCalls];  // by hash; the only state of callers.cpp that others read

// The slow half of call_at.
const KnownCall& find_caller(std::uint64_t return_address);

// Who made the call that returns to this address?
inline const KnownCall& call_at(std::uint64_t return_address) {
  const KnownCall& known = known_calls[(return_address ^ return_address >> 12) % kKnownCalls];
  return known.return_address == return_address ? known : find_caller(return_address);
}
inline Caller caller_at(std::uint64_t return_address) { return call_at(return_address).caller; }

// Is this an address in an instrumented module? For words that may be anything; modules loaded since are not
// looked for.
bool is_instrumented(std::uint64_t address);
// The watched library whose code is at this address; kNoLibrary where there is none.
std::uint32_t library_of_code(std::uint64_t address);

// Does that call access memory on the program's behalf?
inline bool is_program_call(std::uint64_t return_address) {
  return caller_at(return_address) != Caller::kLibrary;
}

}  // namespace heddle::engine
