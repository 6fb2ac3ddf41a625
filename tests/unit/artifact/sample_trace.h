// A Trace with something in every field.
#pragma once

#include "tool/artifact/trace.h"

namespace heddle {

Trace sample_trace();

}  // namespace heddle
