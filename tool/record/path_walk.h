// Walks along a program's control flow as a thread's bits and marks say. Private to this room.
#pragma once

#include <functional>
#include <vector>

#include "tool/record/path_bits.h"
#include "tool/record/path_tables.h"

namespace heddle {

// Answers whether there is room for more.
using PathSink = std::function<bool(const PathStep&)>;

// False: from some point on bits or marks fit no path.
bool walk_path(const PathTables::Tables& tables, PathBits bits, const std::vector<record::Mark>& marks,
               const PathSink& sink);

}  // namespace heddle
