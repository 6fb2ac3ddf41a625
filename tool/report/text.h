// The report of a finding as text, in the shape that ThreadSanitizer's users and their scripts know:
//
//   ==================
//   WARNING: heddle: data race (pid=4711)
//     Write of size 4 at 0x555555558010 by thread T1:
//       #0 increment() race.cpp:8:11 (race+0x11a9)
//          8 |   ++counter;
//   …
//   SUMMARY: heddle: data race race.cpp:8:11 in increment()
//   ==================
//   reproduce: heddle replay heddle-out/bug-1.heddle
#pragma once

#include <string>

#include "tool/trace/trace.h"

namespace heddle::report {

struct TextOptions {
  std::string artifact;           // path for the reproduce line; empty: no such line
  std::string strip_path_prefix;  // TSan's option
  bool color = false;
  bool source_lines = true;  // show the line of source under the frame that decides
};

std::string text_report(const Trace& trace, const TraceFinding& finding, const TextOptions& options = {});

}  // namespace heddle::report
