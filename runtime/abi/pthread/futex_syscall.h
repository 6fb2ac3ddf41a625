// The system call futex(2) as the engine answers it.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// The kernel's result; `spurious`: a wait may end for no reason.
long answer_futex(engine::Execution& e, const long* arguments, bool spurious, std::uint64_t pc);

}  // namespace heddle::abi
