// A readable dump of an artifact: what `heddle show FILE` prints.
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::report {

struct ShowOptions {
  std::size_t width = 100;
  bool color = false;
  bool all_events = false;  // nothing folded
  std::string path;         // of the artifact, for the line that reproduces it
};

// What was run and how, the reports of its findings, the trace in columns, the program's output.
std::string show_text(const Trace& trace, const ShowOptions& options = {});

}  // namespace heddle::report
