// A Trace with something in every field.
#pragma once

#include "tool/trace/trace.h"

namespace heddle {

Trace sample_trace();

}  // namespace heddle
