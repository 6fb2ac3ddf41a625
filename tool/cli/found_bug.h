// A bug that was found by other means than a campaign: made smaller, written as an artifact, and told.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tool/run/target.h"

namespace heddle::cli {

struct FoundBugOptions {
  std::string output = "heddle-out", color = "auto";
  std::vector<int> allowed_exits;
  bool no_minimize = false;
  bool ended_by_bug = false;  // of several bugs in the execution, the last is the one that was found
};

void add_found_bug_options(CLI::App& app, FoundBugOptions& options);

// Answers the exit code.
int tell_found_bug(Trace trace, const run::Target& target, const FoundBugOptions& options);

}  // namespace heddle::cli
