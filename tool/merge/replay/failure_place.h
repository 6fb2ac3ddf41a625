// Is a finding of the engine the failure that a log tells of?
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::merge {

// `place`: AccessLog::failure_place. Without one the run was killed from outside, as one that hangs.
// Could a finding of this kind be it?
bool is_kind_of_failure(FindingKind kind, const std::string& place);
// Is it? REQUIRES: the trace is symbolised where `place` names a file and a line.
bool is_failure_at(const Trace& trace, const TraceFinding& finding, const std::string& place);

}  // namespace heddle::merge
