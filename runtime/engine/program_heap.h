// The program's heap; usable before main and before any execution.
#pragma once

#include "runtime/heap/heap.h"

namespace heddle::engine {

heap::Heap& program_heap();

}  // namespace heddle::engine
