// What an expression is worth when the values of its symbols are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/symbolic_value.h"
#include "tool/constraints/symbolic_trace.h"

namespace heddle::constraints {

constexpr std::uint64_t mask_of(unsigned bits) { return symbolic::low_bits(~0ull, bits); }

using symbolic::operand_count;

// One operator on values of known widths.
std::uint64_t apply(const Expression& e, std::span<const Expression> table, const std::uint64_t* operands);

// Values of expressions for one set of values of symbols. Each is computed once.
class Evaluation {
 public:
  explicit Evaluation(std::span<const Expression> table)
      : table_(table), value_(table.size()), epoch_(table.size()) {}

  void clear() { ++now_; }
  void set_symbol(ExpressionId symbol, std::uint64_t value) {
    const std::uint32_t i = index_of(symbol);
    value_[i] = value & mask_of(table_[i].bits);
    epoch_[i] = now_;
  }
  // False: a symbol that it needs has no value yet.
  bool evaluate(ExpressionId id, std::uint64_t& value);

 private:
  bool known(std::uint32_t i) const { return epoch_[i] == now_; }

  std::span<const Expression> table_;
  std::vector<std::uint64_t> value_;
  std::vector<std::uint32_t> epoch_;
  std::uint32_t now_ = 1;
  std::vector<std::uint32_t> stack_;
};

}  // namespace heddle::constraints
