// Is a finding of the engine the failure that a log tells of?
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::run {

// `place`: how the run ended, in the words of outcome_text() (tool/record/log_reader.h). Without one it was
// killed from outside, as one that hangs.
// Could a finding of this kind be it?
bool is_kind_of_failure(FindingKind kind, const std::string& place);
// Is it? REQUIRES: the trace is symbolised where `place` names a file and a line.
bool is_failure_at(const Trace& trace, const TraceFinding& finding, const std::string& place);

}  // namespace heddle::run
