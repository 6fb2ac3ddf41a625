// What `heddle record` does about logs of shared elements (--vars, --blocks): tool/record/access_log.h.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace heddle::cli {

// Is it a log of access vectors, as far as its beginning tells?
bool is_access_log(const std::string& path);

// Each answers the exit code of the process.
// Names of elements come from `program`; empty: the one that the log names, if it does.
int show_access_log(const std::string& path, const std::string& program, bool json);
// Runs the program under the engine, and adds the elements that were shared to the profile beside it.
// `lean`: without those that a lock protects.
int make_element_profile(const std::vector<std::string>& words, std::uint32_t executions, bool lean);
// Holds an execution under the engine to the vectors of a log, and says how far that went. `output`: where a
// bug that came of it is written; empty: nowhere.
int follow_access_log(const std::string& path, const std::vector<std::string>& words,
                      const std::string& output);

// What the recorder wrote is mapped pages; what is kept is small, and does not say which program it was.
Status collect_access_log(const std::string& path, bool quiet);

}  // namespace heddle::cli
