#include "compiler/plugin/leaves.h"

#include <llvm/IR/DerivedTypes.h>

namespace heddle::plugin {
namespace {

constexpr std::size_t kMostLeaves = 8;

bool add_leaves(llvm::Type* type, const llvm::DataLayout& layout, std::uint64_t offset,
                llvm::SmallVector<unsigned, 2>& path, Leaves& leaves) {
  if (scalar_bits(type) != 0) {
    leaves.push_back({type, offset, path});
    return leaves.size() <= kMostLeaves;
  }
  const auto add_part = [&](unsigned index, llvm::Type* part, std::uint64_t at) {
    path.push_back(index);
    const bool fits = add_leaves(part, layout, offset + at, path, leaves);
    path.pop_back();
    return fits;
  };
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i) {
      if (!add_part(i, structure->getElementType(i), places->getElementOffset(i))) return false;
    }
    return true;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    if (array->getNumElements() > kMostLeaves) return false;
    for (unsigned i = 0; i < array->getNumElements(); ++i) {
      if (!add_part(i, array->getElementType(), i * stride)) return false;
    }
    return true;
  }
  return false;
}

}  // namespace

unsigned scalar_bits(llvm::Type* type) {
  if (type->isIntegerTy()) return type->getIntegerBitWidth() <= 64 ? type->getIntegerBitWidth() : 0;
  if (type->isPointerTy()) return type->getPointerAddressSpace() == 0 ? 64 : 0;
  if (type->isFloatTy()) return 32;
  if (type->isDoubleTy()) return 64;
  return 0;
}

Leaves leaves_of(llvm::Type* type, const llvm::DataLayout& layout) {
  Leaves leaves;
  llvm::SmallVector<unsigned, 2> path;
  if (!type->isSized() || !add_leaves(type, layout, 0, path, leaves)) return {};
  return leaves;
}

}  // namespace heddle::plugin
