#include "runtime/symbolic/expressions.h"

#include <bit>

#include "core/base/pages.h"
#include "core/base/random.h"
#include "core/trace/symbolic_value.h"

namespace heddle::symbolic {
namespace {

std::uint64_t hash_of(const Expression& e) {
  const std::uint64_t head =
      std::uint64_t{static_cast<std::uint8_t>(e.op)} << 16 | std::uint64_t{e.bits} << 8 | e.low;
  const std::uint64_t operands = std::uint64_t{index_of(e.operands[0])} << 32 | index_of(e.operands[1]);
  return mix(mix(head, operands), mix(index_of(e.operands[2]), operand_count(e.op) == 0 ? e.value : 0));
}

bool is_same(const Expression& a, const Expression& b) {
  return a.op == b.op && a.bits == b.bits && a.low == b.low && a.operands[0] == b.operands[0] &&
         a.operands[1] == b.operands[1] && a.operands[2] == b.operands[2] &&
         (operand_count(a.op) != 0 || a.value == b.value);
}

}  // namespace

void ExpressionTable::start(Header* header, Expression* entries) {
  header_ = header;
  entries_ = entries;
  const std::uint32_t buckets = std::bit_ceil(header->expression_capacity) * 2;
  bucket_mask_ = buckets - 1;
  buckets_ = static_cast<std::uint32_t*>(map_pages(std::size_t{buckets} * sizeof(std::uint32_t)));
}

ExpressionId ExpressionTable::keep(const Expression& expression) {
  std::uint32_t at = static_cast<std::uint32_t>(hash_of(expression)) & bucket_mask_;
  for (; buckets_[at] != 0; at = (at + 1) & bucket_mask_) {
    if (is_same(entries_[buckets_[at]], expression)) return ExpressionId{buckets_[at]};
  }
  if (header_->expression_count >= header_->expression_capacity) {
    header_->overflow = 1;
    return kConcrete;
  }
  const std::uint32_t index = header_->expression_count++;
  entries_[index] = expression;
  buckets_[at] = index;
  return ExpressionId{index};
}

ExpressionId ExpressionTable::constant(std::uint64_t value, unsigned bits) {
  Expression e;
  e.value = low_bits(value, bits);
  e.bits = static_cast<std::uint8_t>(bits);
  return keep(e);
}

ExpressionId ExpressionTable::symbol(RecordId record, std::uint64_t value, unsigned bits) {
  Expression e;
  e.op = Operator::kSymbol;
  e.value = low_bits(value, bits);
  e.bits = static_cast<std::uint8_t>(bits);
  e.operands[0] = ExpressionId{index_of(record)};
  return keep(e);
}

ExpressionId ExpressionTable::unchanged(Operator op, unsigned bits, ExpressionId a, ExpressionId b) const {
  const bool b_constant = (*this)[b].op == Operator::kConstant;
  const bool a_constant = (*this)[a].op == Operator::kConstant;
  switch (op) {
    case Operator::kAdd:
    case Operator::kOr:
    case Operator::kXor:
      if (a_constant && value(a) == 0) return b;
      [[fallthrough]];
    case Operator::kSubtract:
    case Operator::kShiftLeft:
    case Operator::kShiftRightLogical:
    case Operator::kShiftRightArithmetic:
      return b_constant && value(b) == 0 ? a : kConcrete;
    case Operator::kMultiply:
      if (a_constant && value(a) == 1) return b;
      return b_constant && value(b) == 1 ? a : kConcrete;
    case Operator::kAnd: {
      const std::uint64_t all = low_bits(~0ull, bits);
      if (a_constant && value(a) == all) return b;
      return b_constant && value(b) == all ? a : kConcrete;
    }
    default:
      return kConcrete;
  }
}

ExpressionId ExpressionTable::binary(Operator op, unsigned bits, ExpressionId a, std::uint64_t a_value,
                                     ExpressionId b, std::uint64_t b_value) {
  if (a == kConcrete && b == kConcrete) return kConcrete;
  a = known_or_constant(a, a_value, bits);
  b = known_or_constant(b, b_value, bits);
  if (a == kConcrete || b == kConcrete) return kConcrete;  // the table is full
  const unsigned result_bits = is_comparison(op) ? 1 : bits;
  const std::uint64_t result = value_of(op, result_bits, 0, {value(a), value(b), 0, bits});
  if (is_constant(a) && is_constant(b)) return constant(result, result_bits);
  if (const ExpressionId same = unchanged(op, bits, a, b); same != kConcrete) return same;
  Expression e;
  e.op = op;
  e.bits = static_cast<std::uint8_t>(result_bits);
  e.value = result;
  e.operands[0] = a;
  e.operands[1] = b;
  return keep(e);
}

ExpressionId ExpressionTable::extend(Operator op, unsigned bits, ExpressionId a) {
  if (a == kConcrete) return kConcrete;
  const Expression from = (*this)[a];
  if (from.bits == bits) return a;
  const std::uint64_t result = value_of(op, bits, 0, {from.value, 0, 0, from.bits});
  if (from.op == Operator::kConstant) return constant(result, bits);
  // An extension of an extension by zeros has a zero on top.
  if (from.op == Operator::kZeroExtend) return extend(Operator::kZeroExtend, bits, from.operands[0]);
  Expression e;
  e.op = op;
  e.bits = static_cast<std::uint8_t>(bits);
  e.value = result;
  e.operands[0] = a;
  return keep(e);
}

ExpressionId ExpressionTable::extract(ExpressionId a, unsigned low, unsigned bits) {
  if (a == kConcrete) return kConcrete;
  const Expression from = (*this)[a];
  if (low == 0 && from.bits == bits) return a;
  const std::uint64_t result = value_of(Operator::kExtract, bits, low, {from.value, 0, 0, from.bits});
  switch (from.op) {
    case Operator::kConstant:
      return constant(result, bits);
    case Operator::kExtract:
      return extract(from.operands[0], from.low + low, bits);
    case Operator::kConcatenate: {
      const unsigned border = (*this)[from.operands[1]].bits;
      if (low >= border) return extract(from.operands[0], low - border, bits);
      if (low + bits <= border) return extract(from.operands[1], low, bits);
      break;
    }
    case Operator::kZeroExtend:
    case Operator::kSignExtend: {
      const unsigned inner = (*this)[from.operands[0]].bits;
      if (low + bits <= inner) return extract(from.operands[0], low, bits);
      if (low == 0) return extend(from.op, bits, from.operands[0]);
      if (from.op == Operator::kZeroExtend && low >= inner) return constant(0, bits);
      break;
    }
    default:
      break;
  }
  Expression e;
  e.op = Operator::kExtract;
  e.bits = static_cast<std::uint8_t>(bits);
  e.low = static_cast<std::uint8_t>(low);
  e.value = result;
  e.operands[0] = a;
  return keep(e);
}

ExpressionId ExpressionTable::concatenate(ExpressionId high, ExpressionId low) {
  if (high == kConcrete || low == kConcrete) return kConcrete;
  const Expression top = (*this)[high];
  const Expression bottom = (*this)[low];
  const unsigned bits = unsigned{top.bits} + bottom.bits;
  const std::uint64_t result =
      value_of(Operator::kConcatenate, bits, 0, {top.value, bottom.value, 0, top.bits});
  if (top.op == Operator::kConstant && bottom.op == Operator::kConstant) return constant(result, bits);
  // Neighbours of one value: the bytes of memory come together again.
  if (top.op == Operator::kExtract) {
    const ExpressionId whole = top.operands[0];
    if (bottom.op == Operator::kExtract && bottom.operands[0] == whole && bottom.low + bottom.bits == top.low)
      return extract(whole, bottom.low, bits);
  }
  Expression e;
  e.op = Operator::kConcatenate;
  e.bits = static_cast<std::uint8_t>(bits);
  e.value = result;
  e.operands[0] = high;
  e.operands[1] = low;
  return keep(e);
}

ExpressionId ExpressionTable::select(unsigned bits, ExpressionId condition, std::uint64_t holds,
                                     ExpressionId a, std::uint64_t a_value, ExpressionId b,
                                     std::uint64_t b_value) {
  if (condition == kConcrete && a == kConcrete && b == kConcrete) return kConcrete;
  const bool taken = is_constant(condition) ? (condition == kConcrete ? holds : value(condition)) != 0
                                            : value(condition) != 0;
  // The value is one of the two whatever the symbols are: kConcrete stays so.
  if (is_constant(condition)) return taken ? a : b;
  a = known_or_constant(a, a_value, bits);
  b = known_or_constant(b, b_value, bits);
  if (a == kConcrete || b == kConcrete) return kConcrete;
  if (a == b) return a;
  Expression e;
  e.op = Operator::kSelect;
  e.bits = static_cast<std::uint8_t>(bits);
  e.value = taken ? value(a) : value(b);
  e.operands[0] = condition;
  e.operands[1] = a;
  e.operands[2] = b;
  return keep(e);
}

}  // namespace heddle::symbolic
