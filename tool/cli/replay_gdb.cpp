#include "tool/cli/replay_gdb.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "compiler/install_layout.h"
#include "tool/artifact/artifact.h"
#include "tool/cli/recorded_program.h"
#include "tool/cli/terminal.h"
#include "tool/report/json.h"
#include "tool/report/shell_word.h"
#include "tool/report/text.h"

namespace heddle::cli {
namespace {

// A file that lives as long as gdb has it open, with what the artifact says about the events.
Result<std::string> trace_for_gdb(const Trace& trace) {
  const int descriptor = memfd_create("heddle-gdb-trace", 0);
  const std::string json = report::json_trace(trace);
  if (descriptor < 0 || write(descriptor, json.data(), json.size()) != static_cast<ssize_t>(json.size()))
    return Error{"Cannot make a memory file for gdb.", ExitCode::kOwnError};
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace

int debug_replay(const std::string& artifact, const Trace& trace, const run::Target& target,
                 const std::string& debugger, const RecordedOptions& recorded) {
  auto layout = compiler::find_layout();
  if (!layout) return complain(layout.error());
  auto file = trace_for_gdb(trace);
  if (!file) return complain(file.error());
  setenv("HEDDLE_GDB_TRACE", file->c_str(), 1);
  setenv("SHELL", "/bin/sh", 1);
  std::vector<std::string> words;
  std::istringstream given(debugger);
  for (std::string word; given >> word;) words.push_back(word);
  const std::string program =
      recorded.program.empty() ? "" : std::filesystem::absolute(recorded.program).string();
  const std::string wrapper = report::shell_word(layout->executable) + " replay " + kReplaceThis + " " +
                              report::shell_word(std::filesystem::absolute(artifact).string()) + " " +
                              report::shell_word(program) + " " + (recorded.trust ? "1" : "0");
  // The program's arguments are in the artifact. gdb, and the shell that it starts programs by, never see
  // them, nor any other text of the artifact.
  for (const std::string& word : {std::string("-q"), std::string("-ex"), "set exec-wrapper " + wrapper,
                                  std::string("-x"), layout->gdb_script, std::string("--args"), target.path})
    words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return complain({"Cannot start " + words[0] + ": " + std::strerror(errno) + ". Is it installed?"});
}

int become_replay(const Arguments& arguments) {
  if (arguments.size() < 3) return complain({"This is for gdb to call: heddle replay --gdb FILE."});
  auto trace = read_artifact(arguments[0]);
  if (!trace) return complain(trace.error());
  auto program = find_recorded_program(*trace, {arguments[1], arguments[2] == "1"});
  if (!program) return complain(program.error());
  RunSpec spec = trace->spec;
  spec.replay = ReplayKind::kExact;
  spec.record_events = 1;
  run::LaunchOptions launch;
  launch.index = trace->execution;
  launch.replay = trace->choices;
  launch.inherit_output = true;
  return complain(run::Process::replace_this(program->target, spec, launch));
}

}  // namespace heddle::cli
