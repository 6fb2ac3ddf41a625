// Whether anybody but a function, and what it calls, can come to an object of its own: a local variable, or
// memory that it allocated.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Value.h>

namespace heddle::plugin {

class Escapes {
 public:
  // Is the object's address kept anywhere? `by_return`: to return it counts, too. Calls are followed into
  // functions of this module. REQUIRES: nothing is added to or removed from functions between calls.
  bool may_escape(const llvm::Value* object, bool by_return);

 private:
  class Tracker;
  static constexpr unsigned kDeepestCalls = 4;

  bool follow(const llvm::Value* object, bool by_return, unsigned depth);

  llvm::DenseMap<const llvm::Value*, bool> known_;  // that were asked for
};

}  // namespace heddle::plugin
