#pragma once

namespace heddle::abi {

// From here on system calls of uninstrumented code that would block are the engine's.
void answer_library_syscalls();

}  // namespace heddle::abi
