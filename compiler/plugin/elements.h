// Which instructions access which shared program elements, and the module's table of them
// (core/record/elements.h).
//
// Found once, before a function is copied into its bodies; what was found goes with the instructions as
// metadata, so that every body has the same accesses in the same order. docs/design/record-format.md says what is an
// element.
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Module.h>

#include "compiler/plugin/element_names.h"

namespace heddle::plugin {

// How an instruction touches an element.
enum class Touch : std::uint8_t {
  kRead = 0,  // a load: can be repeated
  kWrite,     // a store or an update, also of many bytes: is over at once
  kBefore,    // by a call, at any time while it lasts: counts when it begins
  kAfter,     // by a call that waits for its turn, such as a lock: counts when it has returned
};

struct ElementAccess {
  llvm::GlobalVariable* entry = nullptr;  // record::ElementEntry
  llvm::Value* pointer = nullptr;         // nullptr: a block
  Touch touch = Touch::kRead;
};
using ElementAccesses = llvm::SmallVector<ElementAccess, 2>;

// The mutex that a call takes again when its wait for a condition is over: an operand, or, `is_in_lock`, what
// the std::unique_lock that is the operand begins with. No operand: the call is no such wait.
struct WaitMutex {
  llvm::Value* operand = nullptr;
  bool is_in_lock = false;
};
WaitMutex mutex_of_wait(const llvm::Instruction& instruction);

class Elements {
 public:
  explicit Elements(llvm::Module& module);

  // Marks the function's accesses. REQUIRES: nothing was added to it yet.
  void find(llvm::Function& function);
  // Writes the table, and registers it. To be called once, after all functions.
  void keep_table();

  // What an instruction of any body accesses.
  ElementAccesses of(llvm::Instruction& instruction) const;
  // The block element that begins at the instruction, or nullptr.
  llvm::GlobalVariable* block_at(const llvm::Instruction& instruction) const;
  // A byte that is not zero where any of them is chosen, for code of this function (record::ElementGroup).
  llvm::GlobalVariable* make_group(llvm::ArrayRef<llvm::GlobalVariable*> entries, const llvm::Function& of);

 private:
  struct Element {
    llvm::GlobalVariable* entry = nullptr;
    ElementName name;
    std::string place;
  };
  struct Found {
    std::uint64_t id = 0;
    unsigned operand = 0;  // the pointer
    Touch touch = Touch::kRead;
  };

  std::uint64_t intern(const ElementName& name, const llvm::Instruction& at);
  void visit(llvm::Instruction& instruction, llvm::SmallVectorImpl<Found>& found);
  void visit_call(llvm::CallBase& call, llvm::SmallVectorImpl<Found>& found);
  void keep(llvm::Instruction& instruction, llvm::ArrayRef<Found> found);
  llvm::GlobalVariable* make_entry(std::uint64_t id, record::ElementKind kind);
  void keep_name(std::uint64_t id, const Element& element);

  llvm::Module& module_;
  ElementNamer namer_;
  llvm::StructType* entry_type_;
  unsigned access_metadata_;
  unsigned block_metadata_;
  llvm::MapVector<std::uint64_t, Element> elements_;
};

}  // namespace heddle::plugin
