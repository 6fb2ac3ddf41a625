#include "tool/cli/preamble.h"

#include "compiler/install_layout.h"
#include "tool/artifact/artifact.h"
#include "tool/cli/terminal.h"
#include "tool/run/interruption.h"
#include "tool/run/time_limit.h"

namespace heddle::cli {

Result<GivenProgram> find_given_program(const std::vector<std::string>& words) {
  auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  std::vector<std::string> notes;
  auto target = run::resolve_target(words, layout->library, notes);
  if (!target) return target.error();
  for (const std::string& note : notes) warn(note);
  auto input = run::InputFile::keep_standard_input();
  if (!input) return input.error();
  target->input = input->descriptor();
  return GivenProgram{std::move(*target), std::move(*input), std::move(notes)};
}

Result<OpenedArtifact> open_artifact(const std::string& path, const RecordedOptions& options) {
  auto trace = read_artifact(path);
  if (!trace) return trace.error();
  auto program = find_recorded_program(*trace, options);
  if (!program) return program.error();
  program->tell();
  return OpenedArtifact{std::move(*trace), std::move(*program)};
}

void begin_work(double seconds) {
  run::catch_interruptions();
  run::set_time_limit(seconds);
}

}  // namespace heddle::cli
