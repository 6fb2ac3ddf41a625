// Bugs that are known already: those of the artifacts in a directory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "tool/findings/same_bug.h"

namespace heddle {

struct KnownBug {
  std::string artifact;                // its path
  std::string signature;               // its fingerprint
  std::shared_ptr<const Trace> trace;  // its first finding is the bug; without events
  SameBug bug;
};

// Adds the bug of each artifact. An error where the directory or an artifact in it cannot be read.
Status add_known_bugs(const std::string& directory, std::vector<KnownBug>& known);

// The one that a finding is, also where the program was changed since (same_bug.h); nullptr: it is new.
// REQUIRES: the trace is symbolised.
const KnownBug* find_known(const std::vector<KnownBug>& known, const Trace& trace,
                           const TraceFinding& finding);

}  // namespace heddle
