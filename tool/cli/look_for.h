// The failure that `--look-for` names.
#pragma once

#include <string>

#include "core/base/result.h"
#include "tool/run/wanted_failure.h"

namespace heddle::cli {

// `path`: an artifact, or the log of a native run of any kind.
Result<run::WantedFailure> read_wanted_failure(const std::string& path);

}  // namespace heddle::cli
