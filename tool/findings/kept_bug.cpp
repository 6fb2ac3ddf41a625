#include "tool/findings/kept_bug.h"

#include <algorithm>
#include <utility>

#include "tool/artifact/artifact.h"
#include "tool/findings/findings_folder.h"

namespace heddle {

void put_first(Trace& trace, std::size_t finding) {
  const auto at = trace.findings.begin() + static_cast<std::ptrdiff_t>(finding);
  std::rotate(trace.findings.begin(), at, at + 1);
}

void KeptBug::keep(const std::string& folder, const Trace& trace) {
  if (auto added = add_bug(folder, trace)) {
    artifact = std::move(*added);
  } else {
    why_not_kept = added.error().message;
  }
}

Status KeptBug::keep_smaller(const Trace& trace) const {
  if (artifact.empty()) return Done{};
  return write_artifact(artifact, trace);
}

}  // namespace heddle
