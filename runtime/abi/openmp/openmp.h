// OpenMP: the program's threads are those of its runtime library (libgomp, libomp), which is not
// instrumented. It is left to do its work, its waits being the engine's (library_syscalls.cpp); here the
// happens-before edges are made that the specification promises, and where threads can be switched.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

using engine::Execution;

// A function of the library that the program uses. Where every symbol that the program needs is found here, a
// linker may have left the library out (--as-needed).
void* openmp_symbol(const char* name);

// Edges that belong to no object of the program: `key` is the address of anything that lives as long.
inline sched::SyncObject& openmp_clock(Execution& e, const void* key) {
  return e.sync_objects().get(reinterpret_cast<Address>(key), sched::SyncKind::kAnnotation);
}

}  // namespace heddle::abi

#define HEDDLE_OPENMP(name, ...)                                                                    \
  ([]() {                                                                                           \
    using Function = __VA_ARGS__;                                                                   \
    static Function* found = nullptr;                                                               \
    if (found == nullptr) found = reinterpret_cast<Function*>(::heddle::abi::openmp_symbol(#name)); \
    return found;                                                                                   \
  }())
