// A history from a file through the checker.
#pragma once

#include "core/linearize/answer.h"
#include "core/linearize/search.h"
#include "tool/linearize/history_builder.h"

namespace heddle::linearize {

Answer check_history(const NamedHistory& named, const Options& options);

}  // namespace heddle::linearize
