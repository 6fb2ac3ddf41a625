// The table of expressions of a symbolic trace: every expression once (hash-consed), with its value in the
// execution under way, in the simplest form that little work finds.
#pragma once

#include <cstdint>

#include "core/trace/symbolic.h"

namespace heddle::symbolic {

class ExpressionTable {
 public:
  // REQUIRES: `entries` has room for header->expression_capacity.
  void start(Header* header, Expression* entries);

  const Expression& operator[](ExpressionId id) const { return entries_[index_of(id)]; }
  std::uint64_t value(ExpressionId id) const { return entries_[index_of(id)].value; }
  bool is_constant(ExpressionId id) const { return id == kConcrete || (*this)[id].op == Operator::kConstant; }

  ExpressionId constant(std::uint64_t value, unsigned bits);
  ExpressionId symbol(RecordId record, std::uint64_t value, unsigned bits);
  // `bits` are the operands'. An operand that is kConcrete has the value beside it; kConcrete if both are.
  ExpressionId binary(Operator op, unsigned bits, ExpressionId a, std::uint64_t a_value, ExpressionId b,
                      std::uint64_t b_value);
  ExpressionId extend(Operator op, unsigned bits, ExpressionId a);
  ExpressionId extract(ExpressionId a, unsigned low, unsigned bits);
  ExpressionId concatenate(ExpressionId high, ExpressionId low);
  ExpressionId select(unsigned bits, ExpressionId condition, std::uint64_t holds, ExpressionId a,
                      std::uint64_t a_value, ExpressionId b, std::uint64_t b_value);

 private:
  ExpressionId known_or_constant(ExpressionId id, std::uint64_t value, unsigned bits) {
    return id != kConcrete ? id : constant(value, bits);
  }
  // The operand that the operation leaves as it is (x + 0, x & x), else kConcrete.
  ExpressionId unchanged(Operator op, unsigned bits, ExpressionId a, ExpressionId b) const;
  ExpressionId keep(const Expression& expression);

  Header* header_ = nullptr;
  Expression* entries_ = nullptr;
  std::uint32_t* buckets_ = nullptr;  // indices of entries, 0: free; open addressing
  std::uint32_t bucket_mask_ = 0;
};

}  // namespace heddle::symbolic
