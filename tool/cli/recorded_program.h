// The program that an artifact was made with, ready to be run again.
//
// An artifact can come from anywhere, and what is in it is data. Only a program whose build id matches is
// run, or one that the user names; of its variables those that steer (tool/program/environment.h) are left
// out; its directory is entered only if nobody else can put files there. Whoever trusts the artifact says
// --trust-artifact. docs/design/strangers-artifacts.md has the reasons.
#pragma once

#include <CLI/CLI.hpp>

#include "tool/run/target.h"

namespace heddle::cli {

struct RecordedOptions {
  std::string program;  // where it is now; empty: at its old path
  bool trust = false;   // apply all that the artifact says
};
void add_recorded_options(CLI::App& app, RecordedOptions& options);

struct RecordedProgram {
  run::Target target;
  run::InputFile input;  // what the target reads
  bool is_other_build = false;
  std::vector<std::string> changes;   // what is not as it was when the artifact was made, in whole sentences
  std::vector<std::string> left_out;  // what the artifact says and was not done, likewise

  // Warns of all of these.
  void tell() const;
};

// Errors have ExitCode::kBadInput where the program is not there or is another one.
Result<RecordedProgram> find_recorded_program(const Trace& trace, const RecordedOptions& options);

// An execution of the artifact did not go as it did: warns of what is known to be different around it.
// `now`: as it ran, where that is known.
void tell_changed_surroundings(const run::Target& target, const ProgramIdentity& then,
                               const ProgramIdentity& now = {});

// The execution of the artifact as this version of heddle runs it (tool/replay/engine_version.h). Warns of
// what the user should know.
Result<Trace> in_this_engine(const run::Target& target, Trace original);

}  // namespace heddle::cli
