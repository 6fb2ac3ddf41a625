// What a piece of memory is, in words: "Location is global 'counter' of size 4 at …".
#pragma once

#include <string>

#include "tool/report/places.h"
#include "tool/trace/trace.h"

namespace heddle::report {

struct MemoryText {
  std::string text;        // empty: there is nothing to say, or its allocation says it
  bool has_stack = false;  // the stack of the part belongs to it
};

MemoryText memory_text(const Trace& trace, const TracePart& part, const PathStyle& paths);

}  // namespace heddle::report
