// What heddle says of itself as a whole.
#pragma once

#include <string>

#include "core/base/result.h"
#include "tool/cli/command_words.h"

namespace heddle::cli {

// heddle --help and --help-all.
std::string main_help(HelpWish wish);

Error unknown_command(const std::string& name);

}  // namespace heddle::cli
