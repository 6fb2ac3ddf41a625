// Executions that were none: the runtime did not start in the program, or a limit of heddle's or of the
// system's was reached. What they say is said by every command in the same words.
#pragma once

#include <optional>

#include "core/base/result.h"
#include "core/trace/channel.h"
#include "tool/run/target.h"

namespace heddle::run {

// A limit ended the execution, or kept it from being started. REQUIRES: the channel is still that of
// `result`.
std::optional<Error> limit_error(const Process& process, const ExecutionResult& result);

// The process has ended, and nobody killed it: did the runtime start in it?
std::optional<Error> start_error(const Process& process);

}  // namespace heddle::run
