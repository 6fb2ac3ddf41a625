#include "tool/cli/recorded_program.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "compiler/install_layout.h"
#include "tool/cli/terminal.h"
#include "tool/program/environment.h"
#include "tool/replay/engine_version.h"
#include "tool/replay/surroundings.h"
#include "tool/report/escape.h"

namespace heddle::cli {
namespace {

using report::escaped;

bool is_sound(const std::string& name) {
  return !name.empty() && name.find('=') == std::string::npos && name.find('\0') == std::string::npos;
}

// Variables as they were, but for those that steer.
void restore_variables(const Trace& trace, bool trust, RecordedProgram& recorded) {
  std::string steering;
  const auto leave_out = [&](const std::string& name, std::string_view reason) {
    steering += fmt::format("{}{} ({})", steering.empty() ? "" : ", ", escaped(name), reason);
  };
  for (const auto& [name, value] : trace.program.environment) {
    const bool is_same = is_sound(name) && recorded.target.variable(name) == value;
    if (is_same) continue;
    const std::string_view reason = steering_reason(name);
    if (!is_sound(name) || value.find('\0') != std::string::npos) {
      leave_out(name, "no variable can be called so, or have that value");
    } else if (!reason.empty() && !trust) {
      leave_out(name, reason);
    } else {
      recorded.target.set_variables[name] = value;
    }
  }
  for (const std::string& name : trace.program.unset) {
    if (!is_sound(name) || !recorded.target.variable(name)) continue;
    if (!steering_reason(name).empty() && !trust) continue;  // as it is here, which is the user's own
    recorded.target.unset_variables.insert(name);
  }
  // Those that libc reads by itself are in the artifact if they were set.
  const auto was_set = [&](const std::string& name) {
    return std::any_of(trace.program.environment.begin(), trace.program.environment.end(),
                       [&](const auto& variable) { return variable.first == name; });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string name(*entry, std::strcspn(*entry, "="));
    if (is_read_by_libc(name) && steering_reason(name).empty() && !was_set(name))
      recorded.target.unset_variables.insert(name);
  }
  if (steering.empty()) return;
  recorded.left_out.push_back("The artifact's values of these variables were not applied: " + steering +
                              ". `heddle show` has the values; --trust-artifact applies them.");
}

// The directory of the artifact, or none: here. Files that lie there can steer a program as variables can.
std::string directory_of(const Trace& trace, bool trust, RecordedProgram& recorded) {
  const std::string& directory = trace.program.cwd;
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  if (directory.empty() || directory == here) return {};
  struct stat about{};
  const bool is_there = directory.find('\0') == std::string::npos && directory.front() == '/' &&
                        stat(directory.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                        access(directory.c_str(), X_OK) == 0;
  if (!is_there) {
    recorded.changes.push_back(fmt::format("The directory {}, in which it ran, is not here: it runs in {}.",
                                           escaped(directory), escaped(here)));
    return {};
  }
  const bool is_own = about.st_uid == geteuid() || about.st_uid == 0;
  const bool others_write = (about.st_mode & S_IWOTH) != 0;
  if (trust || (is_own && !others_write)) return directory;
  recorded.left_out.push_back(
      fmt::format("The program runs in {} and not in {}, where it ran: other users can put files there. Go "
                  "there first, or give --trust-artifact.",
                  escaped(here), escaped(directory)));
  return {};
}

Status check_build(const Trace& trace, const RecordedOptions& options, RecordedProgram& recorded) {
  const run::Target& target = recorded.target;
  if (!target.build_id.empty() && target.build_id == trace.program.build_id) return Done{};
  recorded.is_other_build = true;
  if (options.program.empty() && !options.trust) {
    return Error{fmt::format("{} is not the program that the artifact was made with: its build id is {}, and "
                             "the artifact's is {}. Nothing was run. To run this one, or the right one where "
                             "it is now, name it: --program PATH.",
                             escaped(target.path), escaped(target.build_id),
                             trace.program.build_id.empty() ? "not known" : escaped(trace.program.build_id)),
                 ExitCode::kBadInput};
  }
  recorded.changes.push_back(escaped(target.path) +
                             " is not the binary that the artifact was made with (its build id differs).");
  return Done{};
}

}  // namespace

void add_recorded_options(CLI::App& app, RecordedOptions& o) {
  app.add_option("--program", o.program, "the program, if it has moved or is another build")
      ->type_name("FILE");
  app.add_flag("--trust-artifact", o.trust,
               "apply all that the artifact says: variables that decide which code is loaded and which files "
               "are written,\nany directory, and the program at its path even if it is another one");
}

Result<RecordedProgram> find_recorded_program(const Trace& trace, const RecordedOptions& options) {
  auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  const std::string path = options.program.empty() ? trace.program.path : options.program;
  if (options.program.empty() && (path.empty() || path.front() != '/'))
    return Error{"The artifact does not say where its program is. Name it: --program PATH.",
                 ExitCode::kBadInput};
  std::vector<std::string> notes;
  auto target = run::resolve_target({path}, layout->library, notes);
  if (!target) {
    Error error = target.error();
    if (options.program.empty())
      error.message += " If the program is elsewhere now, name it: --program PATH.";
    return error;
  }
  if (!trace.program.argv.empty()) target->argv = trace.program.argv;
  auto input = run::InputFile::of(trace.input);
  if (!input) return input.error();
  target->input = input->descriptor();
  RecordedProgram recorded{std::move(*target), std::move(*input), false, {}, {}};
  if (auto checked = check_build(trace, options, recorded); !checked) return checked.error();
  if (options.program.empty()) recorded.target.cwd = directory_of(trace, options.trust, recorded);
  restore_variables(trace, options.trust, recorded);
  return recorded;
}

void RecordedProgram::tell() const {
  for (const std::string& text : changes) warn(text);
  for (const std::string& text : left_out) warn(text);
}

void tell_changed_surroundings(const run::Target& target, const ProgramIdentity& then,
                               const ProgramIdentity& now) {
  std::vector<std::string> names;
  for (const ProgramIdentity* program : {&then, &now}) {
    names.insert(names.end(), program->unset.begin(), program->unset.end());
    for (const auto& [name, value] : program->environment) names.push_back(name);
  }
  std::erase_if(names, [](const std::string& name) { return !is_sound(name); });
  for (const std::string& text : replay::changed_surroundings(then, target.identity(names))) warn(text);
}

Result<Trace> in_this_engine(const run::Target& target, Trace original) {
  std::vector<std::string> notes;
  auto trace = replay::in_this_engine(target, std::move(original), notes);
  for (const std::string& note : notes) warn(note);
  return trace;
}

}  // namespace heddle::cli
