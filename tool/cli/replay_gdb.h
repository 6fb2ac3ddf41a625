// Replays under gdb.
#pragma once

#include <string>

#include "tool/run/target.h"

namespace heddle::cli {

// What gdb calls in place of the program, so that each `run` finds a fresh channel (gdb: set exec-wrapper).
inline constexpr const char* kReplaceThis = "--exec";

// This process becomes gdb; an exit code where that is not possible.
int debug_replay(const std::string& artifact, const Trace& trace, const run::Target& target,
                 const std::string& debugger);

// This process becomes the program of the artifact, in an exact replay.
int become_replay(const std::string& artifact);

}  // namespace heddle::cli
