// Replays under gdb.
#pragma once

#include <string>

#include "tool/cli/commands.h"
#include "tool/cli/recorded_program.h"

namespace heddle::cli {

// What gdb calls in place of the program, so that each `run` finds a fresh channel (gdb: set exec-wrapper).
inline constexpr const char* kReplaceThis = "--exec";

// This process becomes gdb; an exit code where that is not possible.
int debug_replay(const std::string& artifact, const Trace& trace, const run::Target& target,
                 const std::string& debugger, const RecordedOptions& recorded);

// This process becomes the program of an artifact, in an exact replay. The words after kReplaceThis: the
// artifact, and what find_recorded_program() was told. gdb adds the program's name, which is of no use.
int become_replay(const Arguments& arguments);

}  // namespace heddle::cli
