#include "tool/findings/known_bugs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tool/artifact/artifact.h"
#include "tool/findings/fingerprint.h"

namespace heddle {

Status add_known_bugs(const std::string& directory, std::map<std::string, std::string>& known) {
  std::error_code error;
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".heddle") files.push_back(at->path().string());
  }
  if (error) return Error{"Cannot read the directory " + directory + ": " + error.message() + "."};
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    auto trace = read_artifact(file);
    if (!trace) return trace.error();
    // What an artifact is about comes first in it.
    if (!trace->findings.empty()) known.emplace(fingerprint(*trace, trace->findings.front()), file);
  }
  return Done{};
}

}  // namespace heddle
