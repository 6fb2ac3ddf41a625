#include "tool/findings/known_bugs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "tool/artifact/artifact.h"
#include "tool/findings/fingerprint.h"

namespace heddle {

Status add_known_bugs(const std::string& directory, std::vector<KnownBug>& known) {
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
    if (trace->findings.empty()) continue;
    KnownBug one;
    one.artifact = file;
    // What an artifact is about comes first in it.
    one.signature = fingerprint(*trace, trace->findings.front());
    one.bug = SameBug(*trace, SameBug::Asked::kAnyProgram);
    trace->events = {};
    trace->accesses = {};
    trace->choices = {};
    one.trace = std::make_shared<const Trace>(std::move(*trace));
    known.push_back(std::move(one));
  }
  return Done{};
}

const KnownBug* find_known(const std::vector<KnownBug>& known, const Trace& trace,
                           const TraceFinding& finding) {
  // Of two that look alike the one with the same fingerprint, if there is one.
  const std::string print = known.empty() ? std::string() : fingerprint(trace, finding);
  const KnownBug* found = nullptr;
  for (const KnownBug& one : known) {
    if (!one.bug.is(trace, finding)) continue;
    if (one.signature == print) return &one;
    if (found == nullptr) found = &one;
  }
  return found;
}

}  // namespace heddle
