// What fork has to do for semaphores with names.
#pragma once

#include "runtime/abi/engine_access.h"

namespace heddle::abi {

// From here on their state is libc's own, in memory that forked children share.
void share_named_semaphores(engine::Execution& e);

}  // namespace heddle::abi
