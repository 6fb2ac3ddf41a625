// Numbers that cross the second ABI, __heddle_*, between the compiler's pass and the runtime.
#pragma once

#include <cstdint>

namespace heddle::symbolic {

// What an atomic read-modify-write does with its operand.
enum class UpdateKind : std::uint32_t {
  kExchange,
  kAdd,
  kSubtract,
  kAnd,
  kNand,
  kOr,
  kXor,
  kOther,  // floating point and whatever else has no expression
};

// A search for a byte (__heddle_scanned): the byte, and whether the last byte looked at was it.
inline constexpr std::uint32_t kByteFound = 0x100;

}  // namespace heddle::symbolic
