// What a user names as visible (`--visible`): a line of source, a global variable, or all plain accesses.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace/visible_places.h"
#include "tool/run/target.h"

namespace heddle::run {

// "all", "queue.cpp:31" or "queue_head". Where the modules lie is seen in one execution of the program.
Result<VisiblePlaces> visible_places_named(const Target& target, const RunSpec& spec,
                                           const std::vector<std::string>& names);

}  // namespace heddle::run
