// What the bodies of a function do about its accesses to shared program elements (elements.h). All of it only
// where the element's entry is marked as chosen, which the runtime decides once, when the module is loaded.
#pragma once

#include "compiler/plugin/elements.h"

namespace heddle::plugin {

// The body for recording: in which order threads come to each element. A read is repeated when somebody wrote
// meanwhile; a write holds the element for itself (runtime/record/element_recorder.h).
void record_elements(llvm::Function& body, Elements& elements);

// The engine's body: it tells the engine before an access, which may let others go first, and after one that
// takes its turn itself.
void announce_elements(llvm::Function& body, Elements& elements);

}  // namespace heddle::plugin
