// What FUTEX_WAKE_OP does with its second word (futex(2)).
#pragma once

#include <linux/futex.h>

#include <cstdint>

namespace heddle::abi {

// Is there such an operation, and such a comparison? The kernel answers ENOSYS otherwise.
inline bool is_futex_operation(std::uint32_t code) { return (code >> 28 & 7) <= FUTEX_OP_XOR; }
inline bool is_futex_comparison(std::uint32_t code) { return (code >> 24 & 15) <= FUTEX_OP_CMP_GE; }

// The word after the operation that `code` describes.
inline std::uint32_t futex_apply(std::uint32_t code, std::uint32_t old) {
  // 12 bits with a sign
  auto operand = static_cast<std::uint32_t>(static_cast<std::int32_t>(code << 8) >> 20);
  if ((code >> 28 & FUTEX_OP_OPARG_SHIFT) != 0) operand = 1u << (operand & 31);
  switch (code >> 28 & 7) {
    case FUTEX_OP_SET:
      return operand;
    case FUTEX_OP_ADD:
      return old + operand;
    case FUTEX_OP_OR:
      return old | operand;
    case FUTEX_OP_ANDN:
      return old & ~operand;
    default:
      return old ^ operand;
  }
}

// Does the condition that `code` describes hold for what the second word was?
inline bool futex_compares(std::uint32_t code, std::uint32_t value) {
  const auto old = static_cast<std::int32_t>(value);
  const auto argument = static_cast<std::int32_t>(code << 20) >> 20;  // 12 bits with a sign
  switch (code >> 24 & 15) {
    case FUTEX_OP_CMP_EQ:
      return old == argument;
    case FUTEX_OP_CMP_NE:
      return old != argument;
    case FUTEX_OP_CMP_LT:
      return old < argument;
    case FUTEX_OP_CMP_LE:
      return old <= argument;
    case FUTEX_OP_CMP_GT:
      return old > argument;
    default:
      return old >= argument;
  }
}

}  // namespace heddle::abi
