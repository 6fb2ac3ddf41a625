#include "tool/cli/recorded_program.h"

#include "compiler/install_layout.h"

namespace heddle::cli {

Result<RecordedProgram> find_recorded_program(const Trace& trace, const std::string& program) {
  auto layout = compiler::find_layout();
  if (!layout) return layout.error();
  const std::string path = program.empty() ? trace.program.path : program;
  std::vector<std::string> notes;
  auto target = run::resolve_target({path}, layout->library, notes);
  if (!target) return target.error();
  if (!trace.program.argv.empty()) target->argv = trace.program.argv;
  if (program.empty()) target->cwd = trace.program.cwd;
  target->environment = trace.program.environment;
  auto input = run::InputFile::of(trace.input);
  if (!input) return input.error();
  target->input = input->descriptor();
  RecordedProgram recorded{std::move(*target), std::move(*input), false, {}};
  if (recorded.target.build_id != trace.program.build_id) {
    recorded.is_other_build = true;
    recorded.changes.push_back(path +
                               " is not the binary that the artifact was made with (its build id differs).");
  }
  return recorded;
}

}  // namespace heddle::cli
