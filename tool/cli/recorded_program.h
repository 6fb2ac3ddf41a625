// The program that an artifact was made with, ready to be run again.
#pragma once

#include "tool/run/target.h"

namespace heddle::cli {

struct RecordedProgram {
  run::Target target;
  run::InputFile input;  // what the target reads
  bool is_other_build = false;
  std::vector<std::string> changes;  // what is not as it was when the artifact was made, in whole sentences
};

// `program`: where it is now; empty: at its old path.
Result<RecordedProgram> find_recorded_program(const Trace& trace, const std::string& program);

}  // namespace heddle::cli
