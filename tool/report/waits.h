// What a blocked thread waits for, in words.
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::report {

// A thread that joins another names the thread and no object.
bool is_join(const TracePart& part);

// "a signal of ", "a post of " …: what somebody else has to give. Empty for a lock, which somebody holds.
std::string awaited_gift(const TracePart& part);

// "held by T1", "from T1"; empty where that is not known, and for a join.
std::string awaited_of(const TracePart& part, const std::string& other);

}  // namespace heddle::report
