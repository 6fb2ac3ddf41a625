// Names of shared program elements that no schedule, translation unit or instance changes.
//
// A field is named by its innermost class and offset there ("Queue+8"), whoever holds the object: so the type
// metadata of an access says it (TBAA), or the layout of the variable that it goes to. What a pointer leads
// to is named by where the pointer was loaded from ("*Queue+8"), and so is a block of memory whose address is
// stored there.
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "compiler/plugin/escapes.h"
#include "core/record/elements.h"

namespace heddle::plugin {

struct ElementName {
  std::string canonical;
  record::ElementKind kind = record::ElementKind::kGlobal;
};

class ElementNamer {
 public:
  explicit ElementNamer(llvm::Module& module) : module_(module), layout_(module.getDataLayout()) {}

  // Of what a load, store or atomic operation accesses through `pointer`. None: what no other thread can see
  // or change (locals whose address stays here, constants, thread-local variables whose address is never
  // taken).
  std::optional<ElementName> of_access(llvm::Instruction& access, llvm::Value* pointer);
  // Of what a call is given the address of. `is_sync`: a synchronisation object, named by the class or
  // variable that has it.
  std::optional<ElementName> of_pointer(llvm::Value* pointer, bool is_sync);

 private:
  struct Path {
    std::string base;  // a class, if is_type, or a variable, an allocation, what a pointer leads to
    bool is_type = false;
    llvm::Type* type = nullptr;  // its layout, where known
    std::int64_t offset = 0;
    bool indexed = false;  // by an offset that is known only when it runs
    record::ElementKind kind = record::ElementKind::kGlobal;
  };

  std::optional<Path> path_of(llvm::Value* pointer, unsigned depth);
  std::optional<Path> path_of_argument(const llvm::Argument& argument);
  Path path_of_block(llvm::Instruction& block, bool is_local, unsigned depth);
  std::optional<ElementName> name_of(Path path, bool own = false) const;
  std::optional<ElementName> of_type_tag(const llvm::Instruction& access) const;
  bool is_private(const llvm::Value* object);

  llvm::Module& module_;
  const llvm::DataLayout& layout_;
  Escapes escapes_;
};

// With the file's name where the symbol is known in it only.
std::string symbol_name(const llvm::GlobalValue& value);

// Does the call return fresh memory?
bool is_allocation(const llvm::CallBase& call);

}  // namespace heddle::plugin
