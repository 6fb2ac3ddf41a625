#include "bench/harness/thesis_programs.h"

#include <algorithm>

#include "tool/base/atomic_file.h"
#include "tool/bench/child_process.h"

namespace heddle::bench {

Result<std::vector<ThesisProgram>> read_thesis_programs(const std::string& folder,
                                                        const std::vector<std::string>& wanted) {
  const std::string path = folder + "/thesis.json";
  auto text = read_whole_file(path, 1 << 20);
  if (!text) return text.error();
  const auto document = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (document.is_discarded() || !document.contains("programs"))
    return Error{path + " is not the list of programs.", ExitCode::kBadInput};
  std::vector<ThesisProgram> all;
  for (const auto& entry : document["programs"]) {
    ThesisProgram program{entry["name"], folder + "/" + entry["source"].get<std::string>(),
                          entry["arguments"].get<std::vector<std::string>>(), entry["thesis"]};
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), program.name) != wanted.end())
      all.push_back(std::move(program));
  }
  if (all.empty()) return Error{"There is no such program in " + path + ".", ExitCode::kBadInput};
  return all;
}

Result<run::Target> build_thesis_program(const std::string& heddle, const std::string& library,
                                         const std::string& folder, const ThesisProgram& program) {
  const std::string binary = folder + "/" + program.name;
  const auto status = run_in(folder, {heddle, "c++", "--full", "-g", "-O1", program.source, "-o", binary});
  if (!status) return status.error();
  if (*status != 0) return Error{program.name + " could not be compiled.", ExitCode::kBadInput};
  std::vector<std::string> words{binary};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<std::string> notes;
  return run::resolve_target(words, library, notes);
}

}  // namespace heddle::bench
