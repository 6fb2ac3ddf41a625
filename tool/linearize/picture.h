// A history as a picture: a lane for each thread, a bar for each operation, time from left to right.
#pragma once

#include <string>

#include "tool/linearize/observed.h"

namespace heddle::linearize {

// The operations of the shortest wrong prefix, as SVG; the one that cannot be placed and those that speak
// against it are marked.
std::string history_svg(const ObservedHistory& history);
// The operations of the shortest wrong prefix, as text.
std::string history_bars(const ObservedHistory& history);
// These operations as JSON: {"object", "client", "operations": [{"thread", "text", "call", "return", "mark"}]}.
std::string history_json(const ObservedHistory& history);

}  // namespace heddle::linearize
