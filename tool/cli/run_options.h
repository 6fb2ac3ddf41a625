// The options of `heddle run`, from the command line and from HEDDLE_OPTIONS.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tool/cli/run_option_table.h"
#include "tool/run/campaign.h"

namespace heddle::cli {

// What differs between commands that run campaigns.
struct RunCommand {
  const char* name;  // "run"
  const char* usage;
  const char* description;
  const char* examples;
  double default_seconds;  // of one campaign, where neither a time nor a number of executions is given
  std::function<void(CLI::App&)> add_options = nullptr;  // besides those of `heddle run`
};
extern const RunCommand kRunCommand;

// Either options, or the exit code with which to end at once (--help, bad options: already told to the user).
std::optional<int> parse_run_options(const std::vector<std::string>& arguments, RunOptions& options,
                                     const RunCommand& command = kRunCommand);

// What a command does with a campaign that is over, before its exit code is given; `write` is for the user.
using AfterRun = std::function<void(const run::Target& target, const run::CampaignOutcome& outcome,
                                    const std::function<void(const std::string&)>& write)>;
// One campaign, told to the user as it goes; `outcome` has what came of it. Answers its exit code.
int explore(const RunOptions& options, run::CampaignOutcome& outcome, const AfterRun& after = nullptr);

// Where none was given.
std::uint64_t seed_from_system();

// The tables of options in docs/guide/commands.md, as `heddle help --markdown run` prints them.
std::string run_options_in_guide();

// HEDDLE_OPTIONS="k=v:k=v" as command-line words; TSan's names are translated.
std::vector<std::string> words_of_option_variable(const std::string& text);

}  // namespace heddle::cli
