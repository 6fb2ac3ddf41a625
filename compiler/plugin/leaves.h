// The scalar parts of a value: an expression stands for each of them.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Type.h>

#include <cstdint>

namespace heddle::plugin {

struct Leaf {
  llvm::Type* type = nullptr;
  std::uint64_t offset = 0;             // in memory
  llvm::SmallVector<unsigned, 2> path;  // of extractvalue; empty: the value itself
};
using Leaves = llvm::SmallVector<Leaf, 2>;

// Bits of a scalar that an expression can stand for (an integer of at most 64 bits, a pointer, the bits of a
// floating-point number), else 0.
unsigned scalar_bits(llvm::Type* type);

// Empty for what expressions cannot stand for: vectors, wide integers, large aggregates.
Leaves leaves_of(llvm::Type* type, const llvm::DataLayout& layout);

}  // namespace heddle::plugin
