// What an expression of a symbolic trace (core/trace/symbolic.h) is worth, given what its operands are.
#pragma once

#include <cstdint>

#include "core/trace/symbolic.h"

namespace heddle::symbolic {

constexpr std::uint64_t low_bits(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
constexpr std::int64_t as_signed(std::uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

struct Operands {
  std::uint64_t a = 0, b = 0, c = 0;
  unsigned bits = 64;  // of the first
};

// Division by zero and shifts beyond the width are what SMT-LIB's bit-vectors say, so that every expression
// has a value; a program that is right meets neither. REQUIRES: operands are within their widths.
constexpr std::uint64_t value_of(Operator op, unsigned bits, unsigned low, const Operands& of) {
  const auto [a, b, c, width] = of;
  const auto sa = as_signed(a, width);
  const auto sb = as_signed(b, width);
  switch (op) {
    case Operator::kConstant:
    case Operator::kSymbol:
    case Operator::kCount:
      return a;
    case Operator::kAdd:
      return low_bits(a + b, bits);
    case Operator::kSubtract:
      return low_bits(a - b, bits);
    case Operator::kMultiply:
      return low_bits(a * b, bits);
    case Operator::kDivideUnsigned:
      return b == 0 ? low_bits(~0ull, bits) : a / b;
    case Operator::kDivideSigned:
      if (b == 0) return sa < 0 ? 1 : low_bits(~0ull, bits);
      return low_bits(sb == -1 ? std::uint64_t{0} - a : static_cast<std::uint64_t>(sa / sb), bits);
    case Operator::kRemainderUnsigned:
      return b == 0 ? a : a % b;
    case Operator::kRemainderSigned:
      if (b == 0) return a;
      return sb == -1 ? 0 : low_bits(static_cast<std::uint64_t>(sa % sb), bits);
    case Operator::kAnd:
      return a & b;
    case Operator::kOr:
      return a | b;
    case Operator::kXor:
      return a ^ b;
    case Operator::kShiftLeft:
      return b >= bits ? 0 : low_bits(a << b, bits);
    case Operator::kShiftRightLogical:
      return b >= bits ? 0 : a >> b;
    case Operator::kShiftRightArithmetic:
      return low_bits(static_cast<std::uint64_t>(sa >> (b >= bits ? bits - 1 : b)), bits);
    case Operator::kEqual:
      return a == b ? 1 : 0;
    case Operator::kNotEqual:
      return a != b ? 1 : 0;
    case Operator::kLessUnsigned:
      return a < b ? 1 : 0;
    case Operator::kLessEqualUnsigned:
      return a <= b ? 1 : 0;
    case Operator::kLessSigned:
      return sa < sb ? 1 : 0;
    case Operator::kLessEqualSigned:
      return sa <= sb ? 1 : 0;
    case Operator::kZeroExtend:
      return a;
    case Operator::kSignExtend:
      return low_bits(static_cast<std::uint64_t>(sa), bits);
    case Operator::kExtract:
      return low_bits(a >> low, bits);
    case Operator::kConcatenate:
      return a << (bits - width) | b;
    case Operator::kSelect:
      return a != 0 ? b : c;
  }
  return 0;
}

constexpr unsigned operand_count(Operator op) {
  if (op == Operator::kConstant || op == Operator::kSymbol || op == Operator::kCount) return 0;
  if (op == Operator::kZeroExtend || op == Operator::kSignExtend || op == Operator::kExtract) return 1;
  return op == Operator::kSelect ? 3 : 2;
}

constexpr bool is_comparison(Operator op) {
  return op >= Operator::kEqual && op <= Operator::kLessEqualSigned;
}

}  // namespace heddle::symbolic
