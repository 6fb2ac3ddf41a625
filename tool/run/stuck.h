// Where an execution hung, in words.
#pragma once

#include <string>

#include "core/trace/channel.h"

namespace heddle::run {

// Empty where no execution of this worker ran out of time.
std::string describe_stuck(const ChannelHeader& header);

}  // namespace heddle::run
