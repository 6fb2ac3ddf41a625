// The bodies of a function `f` of a `--full` build, each a function of its own:
//
//   f             what everybody calls and whose address is taken. It tests __heddle_mode and holds the plain
//                 body, without any instrumentation: a program that runs natively pays the test
//   f.heddle_mode reached by a tail call when the mode is another: goes on to the body for it
//   f.heddle      for the engine: ThreadSanitizer's calls, and the symbolic body beside the plain one in one
//                 frame (two_bodies.h)
//   f.heddle_…    one for each kind of recording
//
// Where a tail call cannot hand the arguments on (structures that are passed by value, in memory), f is the
// body for the engine itself, and calls those for recording. Natively it runs with ThreadSanitizer's calls,
// which do nothing then.
//
// All are made from the same code, at the same point of the pipeline, so that what is numbered in it has the
// same number in each. They have f's debug information, and so its name in stacks.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include "compiler/plugin/abi.h"
#include "core/record/modes.h"
#include "core/record/path_ids.h"

namespace heddle::plugin {

// A function's own copies, before anything is added to them.
struct Bodies {
  llvm::Function* named = nullptr;   // f
  llvm::Function* engine = nullptr;  // f.heddle, or f
  record::FunctionKey key = record::kNoFunction;
  struct Recording {
    record::Mode mode;
    llvm::Function* body;
  };
  llvm::SmallVector<Recording, 2> recordings;

  llvm::Function* recording(record::Mode mode) const {
    for (const Recording& one : recordings) {
      if (one.mode == mode) return one.body;
    }
    return nullptr;
  }
};

// Can it have bodies for recording? (Otherwise all modes run its one body.) REQUIRES: can_have_two_bodies.
bool can_be_recorded(const llvm::Function& function);

// Copies the function; `f` itself stays as it is until connect().
Bodies split(llvm::Function& function, llvm::ArrayRef<record::Mode> recordings);

// Lets the bodies for `mode` call each other without asking for the mode again.
void call_directly(llvm::ArrayRef<Bodies> all, record::Mode mode);

// Adds the test to `f` and the way to the others. To be called when nothing is added to them any more.
void connect(const Bodies& bodies, Abi& abi);

}  // namespace heddle::plugin
