// PRES-BB's sketch (thesis §3.5.3.2): in which order threads entered blocks, all of them together. A log has
// the part of it that its own blocks have, which tells more than their vectors: how far threads were apart.
#pragma once

#include <vector>

#include "tool/record/access_log.h"

namespace heddle::merge {

// By the ranks of its runs; empty where a log has none. Entries between the first and the last one of a run
// are taken to be evenly spaced.
std::vector<ThreadRun> entry_order(const AccessLog& log);

}  // namespace heddle::merge
