// One bug on its way into the folder of findings: the same for every command that finds bugs, whether a
// campaign met it (tool/run/campaign_findings.cpp) or a search derived it (tool/cli/found_bug.h).
//
//   1. What the artifact is about comes first in it.
//   2. It is kept at once, before anything is done with it that takes time: a kill meanwhile loses nothing.
//   3. A smaller form of the execution takes its place under the same name.
//   4. Where it cannot be written (the disk is full, the folder cannot be made), the reason goes along with
//      the bug. The bug is told all the same, and the exit code is that of a bug.
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "tool/trace/trace.h"

namespace heddle {

// Rule 1, for trace.findings[finding].
void put_first(Trace& trace, std::size_t finding);

struct KeptBug {
  std::string artifact;      // its path; empty: it is not kept
  std::string why_not_kept;  // the artifact could not be written

  // Was it to be kept? Warnings and bugs that are known already are not.
  bool was_tried() const { return !artifact.empty() || !why_not_kept.empty(); }

  // Rules 2 and 4. REQUIRES: rule 1 was followed, and it was not tried before.
  void keep(const std::string& folder, const Trace& trace);
  // Rule 3. Where the larger form could not be kept, the smaller one is not, either. An error leaves the
  // larger one there.
  Status keep_smaller(const Trace& trace) const;
};

}  // namespace heddle
