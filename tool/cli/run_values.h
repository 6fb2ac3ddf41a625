// Values of `heddle run`'s options that take more than a number or a word.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/run_spec.h"

namespace heddle::cli {

// The strategies with their parameters: `heddle help strategies`.
std::string strategy_help();
// "pct:d=3" as it is, or what is wrong with it.
Result<std::string> check_strategy(const std::string& text);
// REQUIRES: check_strategy() takes it.
void set_strategy(const std::string& text, RunSpec& spec);

// Templates for the runtime, one in each line.
Status set_trusted_libraries(const std::vector<std::string>& names, RunSpec& spec);

}  // namespace heddle::cli
