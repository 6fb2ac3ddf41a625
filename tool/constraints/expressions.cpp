#include "tool/constraints/expressions.h"

namespace heddle::constraints {
namespace {

std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  const unsigned unused = 64 - bits;
  return static_cast<std::int64_t>(value << unused) >> unused;
}

std::uint64_t divide_signed(std::int64_t a, std::int64_t b) {
  if (b == 0) return a < 0 ? 1 : ~0ull;
  if (b == -1) return 0 - static_cast<std::uint64_t>(a);
  return static_cast<std::uint64_t>(a / b);
}

std::uint64_t remainder_signed(std::int64_t a, std::int64_t b) {
  if (b == 0) return static_cast<std::uint64_t>(a);
  return b == -1 ? 0 : static_cast<std::uint64_t>(a % b);
}

// Operators of two operands of the width `bits`.
std::uint64_t binary(Operator op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const std::int64_t sa = sign_extended(a, bits), sb = sign_extended(b, bits);
  switch (op) {
    case Operator::kAdd:
      return a + b;
    case Operator::kSubtract:
      return a - b;
    case Operator::kMultiply:
      return a * b;
    case Operator::kDivideUnsigned:
      return b == 0 ? ~0ull : a / b;
    case Operator::kDivideSigned:
      return divide_signed(sa, sb);
    case Operator::kRemainderUnsigned:
      return b == 0 ? a : a % b;
    case Operator::kRemainderSigned:
      return remainder_signed(sa, sb);
    case Operator::kAnd:
      return a & b;
    case Operator::kOr:
      return a | b;
    case Operator::kXor:
      return a ^ b;
    case Operator::kShiftLeft:
      return b >= bits ? 0 : a << b;
    case Operator::kShiftRightLogical:
      return b >= bits ? 0 : a >> b;
    case Operator::kShiftRightArithmetic:
      return static_cast<std::uint64_t>(sa >> (b >= bits ? bits - 1 : b));
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
    default:
      return 0;
  }
}

}  // namespace

unsigned operand_count(Operator op) {
  switch (op) {
    case Operator::kConstant:
    case Operator::kSymbol:
    case Operator::kCount:
      return 0;
    case Operator::kZeroExtend:
    case Operator::kSignExtend:
    case Operator::kExtract:
      return 1;
    case Operator::kSelect:
      return 3;
    default:
      return 2;
  }
}

std::uint64_t apply(const Expression& e, std::span<const Expression> table, const std::uint64_t* operands) {
  const auto bits_of = [&](int i) { return unsigned{table[index_of(e.operands[i])].bits}; };
  std::uint64_t result = 0;
  switch (e.op) {
    case Operator::kConstant:
    case Operator::kSymbol:
    case Operator::kCount:
      result = e.value;
      break;
    case Operator::kZeroExtend:
      result = operands[0];
      break;
    case Operator::kSignExtend:
      result = static_cast<std::uint64_t>(sign_extended(operands[0], bits_of(0)));
      break;
    case Operator::kExtract:
      result = operands[0] >> e.low;
      break;
    case Operator::kConcatenate:
      result = bits_of(1) >= 64 ? operands[1] : operands[0] << bits_of(1) | operands[1];
      break;
    case Operator::kSelect:
      result = operands[0] != 0 ? operands[1] : operands[2];
      break;
    default:
      result = binary(e.op, operands[0], operands[1], bits_of(0));
      break;
  }
  return result & mask_of(e.bits);
}

bool Evaluation::evaluate(ExpressionId id, std::uint64_t& value) {
  stack_.assign(1, index_of(id));
  while (!stack_.empty()) {
    const std::uint32_t i = stack_.back();
    if (known(i)) {
      stack_.pop_back();
      continue;
    }
    const Expression& e = table_[i];
    if (e.op == Operator::kSymbol) return false;
    const unsigned count = operand_count(e.op);
    bool ready = true;
    for (unsigned k = 0; k < count; ++k) {
      if (known(index_of(e.operands[k]))) continue;
      stack_.push_back(index_of(e.operands[k]));
      ready = false;
    }
    if (!ready) continue;
    std::uint64_t operands[3] = {};
    for (unsigned k = 0; k < count; ++k) operands[k] = value_[index_of(e.operands[k])];
    value_[i] = apply(e, table_, operands);
    epoch_[i] = now_;
    stack_.pop_back();
  }
  value = value_[index_of(id)];
  return true;
}

}  // namespace heddle::constraints
