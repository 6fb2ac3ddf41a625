// Bugs that were found by other means than a campaign's executions: kept as artifacts, made smaller, and
// told.
//
// They are kept as a campaign's bugs are (tool/findings/kept_bug.h), with a campaign file beside them.
// after_output tells what cannot be written, and leaves the exit code that of a bug. `heddle run`
// (run_command.cpp) does the same but for these:
//   - its exit code can be chosen (--exit-code);
//   - its seed finds again what could not be kept; these commands depend on logs and runs, too;
//   - its text also has what minimising left out and the program's output, which `heddle replay` shows here.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "tool/cli/report_files.h"
#include "tool/cli/terminal.h"
#include "tool/findings/kept_bug.h"
#include "tool/run/target.h"

namespace heddle::cli {

struct FoundBugOptions {
  std::string output = "heddle-out";
  ColorWish color = ColorWish::kAuto;
  std::vector<int> allowed_exits;
  bool no_minimize = false;
  bool quiet = false;         // the bug is kept, and nothing is told of it
  bool ended_by_bug = false;  // of several bugs in the execution, the last is the one that was found
};

// What one call of a command has found. It is kept as a campaign is: artifacts under the next numbers, and a
// campaign file of its own beside them, from which `heddle report` makes its reports.
class FoundBugs {
 public:
  struct Bug : KeptBug {
    Trace trace;
  };

  FoundBugs(const std::string& command, const std::string& folder, const run::Target& target,
            std::uint64_t seed);
  // The user is told where it cannot be kept. `executions`: how many it took. The bug stays where it is.
  Bug& add(Trace trace, std::uint64_t executions);
  // A smaller form of a bug that was added.
  void replace(Bug& bug, Trace smaller);
  const std::deque<Bug>& bugs() const { return bugs_; }

 private:
  void write();

  std::chrono::steady_clock::time_point began_;
  std::string folder_;
  report::CampaignReport report_;
  CampaignFile file_;
  std::deque<Bug> bugs_;  // the report points into them
};

void add_found_bug_options(CLI::App& app, FoundBugOptions& options);

// Answers the exit code. `executions`: how many it took.
int tell_found_bug(Trace trace, const run::Target& target, const FoundBugOptions& options, FoundBugs& found,
                   std::uint64_t executions);

}  // namespace heddle::cli
