// The options of `heddle run`, from the command line and from HEDDLE_OPTIONS.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/cli/terminal.h"
#include "tool/run/campaign.h"

namespace heddle::cli {

struct RunOptions {
  run::CampaignOptions campaign;
  std::vector<std::string> program;
  std::string json, strip_path_prefix, log_path;
  bool histogram = false;
  bool quiet = false;
  bool verbose = false;
  bool no_progress = false;
  bool verify_determinism = false;
  ColorWish color = ColorWish::kAuto;
  int bug_exit_code = static_cast<int>(ExitCode::kBug);
  std::vector<std::pair<std::string, std::string>> given;  // as written, for the report
};

// Either options, or the exit code with which to end at once (--help, bad options: already told to the user).
std::optional<int> parse_run_options(const std::vector<std::string>& arguments, RunOptions& options);

// What a command does with a campaign that is over, before its exit code is given; `write` is for the user.
using AfterRun = std::function<void(const run::Target& target, const run::CampaignOutcome& outcome,
                                    const std::function<void(const std::string&)>& write)>;
// `heddle run` with these options. Answers the exit code.
int run_and_then(const RunOptions& options, const AfterRun& after);

// HEDDLE_OPTIONS="k=v:k=v" as command-line words; TSan's names are translated.
std::vector<std::string> words_of_option_variable(const std::string& text);

}  // namespace heddle::cli
