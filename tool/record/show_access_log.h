// Access logs for people and scripts, and what a profile takes from them.
#pragma once

#include <span>
#include <string>

#include "tool/record/access_log.h"

namespace heddle {

// `elements`: of the program, for names; an element that is not there is shown by its id.
std::string access_log_text(const AccessLog& log, std::span<const SharedElement> elements);
std::string access_log_json(const AccessLog& log, std::span<const SharedElement> elements);

// Adds elements that were seen shared to the profile (prog.spes), which need not exist.
Status add_to_profile(const std::string& profile, std::span<const SharedElement> shared);

}  // namespace heddle
