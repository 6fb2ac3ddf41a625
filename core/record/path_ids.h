// What names a place in a program's control flow, the same in every run and instance, in the bodies for
// recording and for the engine alike (compiler/plugin/path_numbers.h assigns the numbers).
#pragma once

#include <cstdint>

namespace heddle::record {

// A function, by a hash of its symbol's name, and of its module's for local ones; 48 bits. 0: none.
enum class FunctionKey : std::uint64_t {};
inline constexpr FunctionKey kNoFunction{0};
inline constexpr unsigned kKeyBits = 48;

// A branch, switch, call or landing pad: its function's key and its number there, from 0.
enum class PlaceId : std::uint64_t {};
inline constexpr unsigned kMostPlaces = 1u << 16;

constexpr PlaceId place_of(FunctionKey function, std::uint32_t number) {
  return PlaceId{static_cast<std::uint64_t>(function) << 16 | number};
}
constexpr FunctionKey function_of(PlaceId place) {
  return FunctionKey{static_cast<std::uint64_t>(place) >> 16};
}
constexpr std::uint32_t number_of(PlaceId place) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(place) & 0xffff);
}

// FNV-1a, folded: what the compiler's pass and the tool have to agree on.
constexpr FunctionKey key_of(const char* name, std::uint64_t length, std::uint64_t module = 0) {
  std::uint64_t hash = 0xcbf29ce484222325ull ^ module;
  for (std::uint64_t i = 0; i < length; ++i)
    hash = (hash ^ static_cast<unsigned char>(name[i])) * 0x100000001b3ull;
  hash = (hash ^ hash >> kKeyBits) & ((std::uint64_t{1} << kKeyBits) - 1);
  return FunctionKey{hash == 0 ? 1 : hash};
}

// What a step of a thread's path is about.
enum class StepKind : std::uint8_t {
  kBranch = 0,    // outcome: 1 where the condition held
  kSwitch,        // outcome: which of the block's different successors
  kIndirectCall,  // outcome: the FunctionKey of the callee, kNoFunction for code that was not compiled so
  kLanding,       // an exception arrived here
  // Marks: how control came to where it is, not from the code before.
  kEntered,  // outcome: FunctionKey; called from code that was not compiled so: a thread's start, a callback
  kSecondReturn,  // setjmp returned again
  kSignal,        // outcome: the signal; what follows until kSignalEnd was done by its handler
  kSignalEnd,
  kCount,
};

}  // namespace heddle::record
