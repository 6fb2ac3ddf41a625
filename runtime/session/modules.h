// The loaded modules, for whoever turns addresses into names.
#pragma once

#include "core/trace/channel.h"

namespace heddle::session {

void write_modules(Channel channel);

}  // namespace heddle::session
