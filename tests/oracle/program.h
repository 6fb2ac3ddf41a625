// The programs that the oracles judge, and the litmus files: core/litmus under the oracles' name. It is data
// and a parser; like everything here it includes nothing of the runtime.
#pragma once

#include "core/litmus/litmus.h"
#include "core/litmus/program.h"

namespace oracle {
using namespace heddle::litmus;
}  // namespace oracle
