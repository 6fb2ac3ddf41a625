// The program's heap as interposers use it.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// nullptr, with errno set, when there is no memory left. REQUIRES: in_session(); the alignment is a power of
// two of at least 16.
void* allocate(std::size_t size, std::size_t alignment, heap::Allocator allocator, std::uint64_t pc);
void release(void* pointer, std::uint64_t pc);

}  // namespace heddle::abi
