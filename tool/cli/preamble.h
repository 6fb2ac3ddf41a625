// What commands do before their own work: find the program that the user names, open an artifact with the
// program that it was made with, and begin to keep to the time that was given.
#pragma once

#include <string>
#include <vector>

#include "tool/cli/recorded_program.h"
#include "tool/run/target.h"
#include "tool/trace/trace.h"

namespace heddle::cli {

struct GivenProgram {
  run::Target target;
  run::InputFile input;            // what the target reads: standard input, as it is now
  std::vector<std::string> notes;  // about its build; the user was warned of them
};

// The program of a command line, with its arguments.
Result<GivenProgram> find_given_program(const std::vector<std::string>& words);

struct OpenedArtifact {
  Trace trace;
  RecordedProgram program;
};

// Warns of what is not as it was when the artifact was made.
Result<OpenedArtifact> open_artifact(const std::string& path, const RecordedOptions& options);

// From now on the first signal only asks the command to stop, and the time runs. 0: no limit.
void begin_work(double seconds);

}  // namespace heddle::cli
