// How the workers of a campaign came back to the start for each execution, in words.
#pragma once

#include <string>
#include <vector>

#include "core/trace/channel.h"

namespace heddle::run {

std::string describe_repetition(const std::vector<RepetitionReport>& workers);

}  // namespace heddle::run
