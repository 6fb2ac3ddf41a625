// Expressions of the instructions that compute.
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "compiler/plugin/body_builder.h"

namespace heddle::plugin {

using llvm::Instruction;
using llvm::Value;
using symbolic::Operator;

Value* BodyBuilder::binary(Builder& at, Operator op, unsigned bits, Value* a, Value* a_value, Value* b,
                           Value* b_value) const {
  return at.CreateCall(abi_.binary,
                       {number(static_cast<std::uint64_t>(op)), number(bits), a, a_value, b, b_value});
}

Value* BodyBuilder::resize(Builder& at, Operator op, unsigned bits, unsigned low, Value* id) const {
  return at.CreateCall(abi_.resize, {number(static_cast<std::uint64_t>(op)), number(bits), number(low), id});
}

Value* BodyBuilder::fit(Builder& at, Value* id, unsigned from, unsigned to, bool is_signed) const {
  if (from == to || is_known_concrete(id)) return id;
  if (from > to) return resize(at, Operator::kExtract, to, 0, id);
  return resize(at, is_signed ? Operator::kSignExtend : Operator::kZeroExtend, to, 0, id);
}

void BodyBuilder::visit_binary(Instruction& instruction, Operator op) {
  const unsigned bits = scalar_bits(instruction.getType());
  if (bits == 0) return concretise(instruction);
  Value* a = instruction.getOperand(0);
  Value* b = instruction.getOperand(1);
  const Ids ids =
      when_symbolic({id_of(a), id_of(b)}, &instruction, instruction.getDebugLoc(), [&](Builder& at) {
        return Ids{binary(at, op, bits, id_of(a), as_value(at, a), id_of(b), as_value(at, b))};
      });
  set_id(&instruction, ids[0]);
}

void BodyBuilder::visit_compare(llvm::ICmpInst& compare) {
  Value* a = compare.getOperand(0);
  Value* b = compare.getOperand(1);
  const unsigned bits = scalar_bits(a->getType());
  if (bits == 0) return concretise(compare);
  Operator op = Operator::kEqual;
  bool swapped = false;
  switch (compare.getPredicate()) {
    case llvm::CmpInst::ICMP_EQ:
      op = Operator::kEqual;
      break;
    case llvm::CmpInst::ICMP_NE:
      op = Operator::kNotEqual;
      break;
    case llvm::CmpInst::ICMP_UGT:
      swapped = true;
      [[fallthrough]];
    case llvm::CmpInst::ICMP_ULT:
      op = Operator::kLessUnsigned;
      break;
    case llvm::CmpInst::ICMP_UGE:
      swapped = true;
      [[fallthrough]];
    case llvm::CmpInst::ICMP_ULE:
      op = Operator::kLessEqualUnsigned;
      break;
    case llvm::CmpInst::ICMP_SGT:
      swapped = true;
      [[fallthrough]];
    case llvm::CmpInst::ICMP_SLT:
      op = Operator::kLessSigned;
      break;
    case llvm::CmpInst::ICMP_SGE:
      swapped = true;
      [[fallthrough]];
    case llvm::CmpInst::ICMP_SLE:
      op = Operator::kLessEqualSigned;
      break;
    default:
      return concretise(compare);
  }
  if (swapped) std::swap(a, b);
  const Ids ids = when_symbolic({id_of(a), id_of(b)}, &compare, compare.getDebugLoc(), [&](Builder& at) {
    return Ids{binary(at, op, bits, id_of(a), as_value(at, a), id_of(b), as_value(at, b))};
  });
  set_id(&compare, ids[0]);
}

void BodyBuilder::visit_cast(Instruction& instruction) {
  Value* from = instruction.getOperand(0);
  const unsigned from_bits = scalar_bits(from->getType());
  const unsigned to_bits = scalar_bits(instruction.getType());
  if (from_bits == 0 || to_bits == 0) return concretise(instruction);
  const bool is_signed = instruction.getOpcode() == Instruction::SExt;
  if (from_bits == to_bits) return set_id(&instruction, id_of(from));
  const Ids ids = when_symbolic({id_of(from)}, &instruction, instruction.getDebugLoc(), [&](Builder& at) {
    return Ids{fit(at, id_of(from), from_bits, to_bits, is_signed)};
  });
  set_id(&instruction, ids[0]);
}

void BodyBuilder::visit_select(llvm::SelectInst& select) {
  const Leaves leaves = leaves_of(select.getType(), layout_);
  Value* condition = select.getCondition();
  if (leaves.empty() || !condition->getType()->isIntegerTy(1)) return concretise(select);
  const Ids yes = ids_of(select.getTrueValue());
  const Ids no = ids_of(select.getFalseValue());
  Ids ids;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Ids leaf =
        when_symbolic({id_of(condition), yes[i], no[i]}, &select, select.getDebugLoc(), [&](Builder& at) {
          return Ids{at.CreateCall(
              abi_.select, {number(scalar_bits(leaves[i].type)), id_of(condition), as_value(at, condition),
                            yes[i], leaf_value(at, select.getTrueValue(), leaves[i]), no[i],
                            leaf_value(at, select.getFalseValue(), leaves[i])})};
        });
    ids.push_back(leaf[0]);
  }
  ids_[&select] = ids;
}

// base + index * stride + …, in 64 bits.
void BodyBuilder::visit_address(llvm::GetElementPtrInst& address) {
  if (scalar_bits(address.getType()) == 0) return concretise(address);
  llvm::SmallVector<Value*, 4> inputs;
  for (Value* operand : address.operands()) inputs.push_back(id_of(operand));
  const Ids ids = when_symbolic(inputs, &address, address.getDebugLoc(), [&](Builder& at) {
    Value* sum = id_of(address.getPointerOperand());
    Value* sum_value = as_value(at, address.getPointerOperand());
    std::uint64_t fixed = 0;
    const auto add = [&](Value* id, Value* value) {
      sum = binary(at, Operator::kAdd, 64, sum, sum_value, id, value);
      sum_value = at.CreateAdd(sum_value, value);
    };
    for (auto part = llvm::gep_type_begin(address); part != llvm::gep_type_end(address); ++part) {
      Value* index = part.getOperand();
      if (llvm::StructType* structure = part.getStructTypeOrNull()) {
        const auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
        fixed += layout_.getStructLayout(structure)->getElementOffset(field);
        continue;
      }
      const std::uint64_t stride = part.getSequentialElementStride(layout_);
      if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(index)) {
        fixed += static_cast<std::uint64_t>(constant->getSExtValue()) * stride;
        continue;
      }
      Value* value = at.CreateSExtOrTrunc(index, abi_.value_type);
      Value* id = fit(at, id_of(index), scalar_bits(index->getType()), 64, true);
      if (stride != 1) {
        id = binary(at, Operator::kMultiply, 64, id, value, abi_.no_id, word(stride));
        value = at.CreateMul(value, word(stride));
      }
      add(id, value);
    }
    if (fixed != 0) add(abi_.no_id, word(fixed));
    return Ids{sum};
  });
  set_id(&address, ids[0]);
}

namespace {

// Of an aggregate, the leaves that lie below `path`: their first, and how many.
std::pair<std::size_t, std::size_t> leaves_below(const Leaves& leaves, llvm::ArrayRef<unsigned> path) {
  std::size_t first = leaves.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i].path.size() < path.size() || !std::equal(path.begin(), path.end(), leaves[i].path.begin()))
      continue;
    if (count++ == 0) first = i;
  }
  return {first, count};
}

}  // namespace

void BodyBuilder::visit_extract(llvm::ExtractValueInst& extract) {
  Value* whole = extract.getAggregateOperand();
  const Ids ids = ids_of(whole);
  const auto [first, count] = leaves_below(leaves_of(whole->getType(), layout_), extract.getIndices());
  if (count == 0) return;
  ids_[&extract] = Ids(ids.begin() + first, ids.begin() + first + count);
}

void BodyBuilder::visit_insert(llvm::InsertValueInst& insert) {
  Ids ids = ids_of(insert.getAggregateOperand());
  const Ids part = ids_of(insert.getInsertedValueOperand());
  const auto [first, count] = leaves_below(leaves_of(insert.getType(), layout_), insert.getIndices());
  if (count == 0 || part.size() != count) return concretise(insert);
  std::copy(part.begin(), part.end(), ids.begin() + first);
  ids_[&insert] = ids;
}

void BodyBuilder::visit_min_max(llvm::IntrinsicInst& call, Operator less, bool takes_less) {
  Value* a = call.getArgOperand(0);
  Value* b = call.getArgOperand(1);
  const unsigned bits = scalar_bits(call.getType());
  const Ids ids = when_symbolic({id_of(a), id_of(b)}, &call, call.getDebugLoc(), [&](Builder& at) {
    Value* a_value = as_value(at, a);
    Value* b_value = as_value(at, b);
    Value* condition = binary(at, less, bits, id_of(a), a_value, id_of(b), b_value);
    const bool is_signed = less == Operator::kLessSigned;
    Value* holds =
        at.CreateZExt(is_signed ? at.CreateICmpSLT(a, b) : at.CreateICmpULT(a, b), abi_.value_type);
    if (!takes_less) {
      return Ids{
          at.CreateCall(abi_.select, {number(bits), condition, holds, id_of(b), b_value, id_of(a), a_value})};
    }
    return Ids{
        at.CreateCall(abi_.select, {number(bits), condition, holds, id_of(a), a_value, id_of(b), b_value})};
  });
  set_id(&call, ids[0]);
}

// {result, overflow}. Overflow of up to 32 bits shows in the result of 64; of 64 bits in addition and
// subtraction by comparison and by signs (Warren, Hacker's Delight, 2-13). A product of 64 bits is taken for
// what it was.
void BodyBuilder::visit_overflow(llvm::IntrinsicInst& call, Operator op, bool is_signed) {
  Value* a = call.getArgOperand(0);
  Value* b = call.getArgOperand(1);
  const unsigned bits = scalar_bits(a->getType());
  const bool fits_in_word = bits <= 32;
  if (bits == 0 || (op == Operator::kMultiply && !fits_in_word)) return concretise(call);
  const Ids ids = when_symbolic({id_of(a), id_of(b)}, &call, call.getDebugLoc(), [&](Builder& at) {
    Value* av = as_value(at, a);
    Value* bv = as_value(at, b);
    Value* result = binary(at, op, bits, id_of(a), av, id_of(b), bv);
    Value* overflow = nullptr;
    if (fits_in_word) {
      Value* wide_a = is_signed ? at.CreateSExt(a, abi_.value_type) : av;
      Value* wide_b = is_signed ? at.CreateSExt(b, abi_.value_type) : bv;
      Value* wide = binary(at, op, 64, fit(at, id_of(a), bits, 64, is_signed), wide_a,
                           fit(at, id_of(b), bits, 64, is_signed), wide_b);
      overflow =
          binary(at, Operator::kNotEqual, 64, wide, word(0), fit(at, result, bits, 64, is_signed), word(0));
    } else if (!is_signed) {
      // a + b < a; a - b: a < b.
      overflow = op == Operator::kAdd
                     ? binary(at, Operator::kLessUnsigned, bits, result, word(0), id_of(a), av)
                     : binary(at, Operator::kLessUnsigned, bits, id_of(a), av, id_of(b), bv);
    } else {
      // a + b: both differ in sign from the result; a - b: a differs from b and from the result.
      Value* first = binary(at, Operator::kXor, bits, id_of(a), av, result, word(0));
      Value* second = op == Operator::kAdd ? binary(at, Operator::kXor, bits, id_of(b), bv, result, word(0))
                                           : binary(at, Operator::kXor, bits, id_of(a), av, id_of(b), bv);
      Value* signs = binary(at, Operator::kAnd, bits, first, word(0), second, word(0));
      overflow = binary(at, Operator::kLessSigned, bits, signs, word(0), abi_.no_id, word(0));
    }
    return Ids{result, overflow};
  });
  ids_[&call] = ids.size() == 2 ? ids : Ids{abi_.no_id, abi_.no_id};
}

bool BodyBuilder::visit_arithmetic_intrinsic(llvm::IntrinsicInst& call) {
  using llvm::Intrinsic::ID;
  const ID id = call.getIntrinsicID();
  switch (id) {
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::ssa_copy:
    case llvm::Intrinsic::threadlocal_address:
      ids_[&call] = ids_of(call.getArgOperand(0));
      return true;
    case llvm::Intrinsic::sadd_with_overflow:
      visit_overflow(call, Operator::kAdd, true);
      return true;
    case llvm::Intrinsic::uadd_with_overflow:
      visit_overflow(call, Operator::kAdd, false);
      return true;
    case llvm::Intrinsic::ssub_with_overflow:
      visit_overflow(call, Operator::kSubtract, true);
      return true;
    case llvm::Intrinsic::usub_with_overflow:
      visit_overflow(call, Operator::kSubtract, false);
      return true;
    case llvm::Intrinsic::smul_with_overflow:
      visit_overflow(call, Operator::kMultiply, true);
      return true;
    case llvm::Intrinsic::umul_with_overflow:
      visit_overflow(call, Operator::kMultiply, false);
      return true;
    default:
      break;
  }
  if (scalar_bits(call.getType()) == 0 || !call.getType()->isIntegerTy()) return false;
  switch (id) {
    case llvm::Intrinsic::smin:
      visit_min_max(call, Operator::kLessSigned, true);
      return true;
    case llvm::Intrinsic::smax:
      visit_min_max(call, Operator::kLessSigned, false);
      return true;
    case llvm::Intrinsic::umin:
      visit_min_max(call, Operator::kLessUnsigned, true);
      return true;
    case llvm::Intrinsic::umax:
      visit_min_max(call, Operator::kLessUnsigned, false);
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::plugin
