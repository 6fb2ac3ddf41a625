#include "tool/constraints/expressions.h"

namespace heddle::constraints {

std::uint64_t apply(const Expression& e, std::span<const Expression> table, const std::uint64_t* operands) {
  if (operand_count(e.op) == 0) return e.value & mask_of(e.bits);
  return symbolic::value_of(
      e.op, e.bits, e.low,
      {operands[0], operands[1], operands[2], unsigned{table[index_of(e.operands[0])].bits}});
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
