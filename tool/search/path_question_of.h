// A log's paths as an execution compares itself with them (core/trace/path_question.h).
#pragma once

#include <memory>

#include "core/trace/path_question.h"
#include "tool/search/known_paths.h"

namespace heddle::search {

// What there is no room for is left out: the ends of the longest paths, and threads that were created late.
std::shared_ptr<const PathQuestion> path_question_of(const LoggedPaths& log);

}  // namespace heddle::search
