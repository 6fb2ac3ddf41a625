// The checker's answer for people and for programs.
#pragma once

#include <string>

#include "core/linearize/answer.h"
#include "tool/linearize/history_builder.h"

namespace heddle::linearize {

// Whole lines. With `witness`, the linearization, one operation on each line.
std::string explain(const NamedHistory& named, const Answer& answer, bool witness);

// One JSON object and a newline: object, verdict, method, operations, and `linearization` (ids) or
// `violation`.
std::string explain_json(const NamedHistory& named, const Answer& answer);

}  // namespace heddle::linearize
