// What the user gets of a localization: a C++ test of the minimum case, and the case in words.
#pragma once

#include <string>

#include "tool/linearize/localize.h"

namespace heddle::linearize {

// A program that includes the test and runs the one client.
std::string minimum_test_source(const Localized& localized);

// Which operations trigger the fault, which reveal it, and how sure that is. `budget`: executions of each
// test that was found correct.
std::string explain_minimum(const Localized& localized, std::uint64_t budget);

}  // namespace heddle::linearize
