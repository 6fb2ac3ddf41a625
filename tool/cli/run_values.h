// Values of `heddle run`'s options that take more than a number or a word.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/run_spec.h"

namespace heddle::cli {

// The strategies with their parameters, for --help.
std::string strategy_help();
Status set_strategy(const std::string& text, RunSpec& spec);

// Templates for the runtime, one in each line.
Status set_trusted_libraries(const std::vector<std::string>& names, RunSpec& spec);

}  // namespace heddle::cli
