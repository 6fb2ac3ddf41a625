// Bugs that are known already: those of the artifacts in a directory.
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"

namespace heddle {

// Adds the fingerprint of each artifact's bug, and where it is. An error where the directory or an artifact
// in it cannot be read.
Status add_known_bugs(const std::string& directory, std::map<std::string, std::string>& known);

}  // namespace heddle
