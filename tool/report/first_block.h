// The first lines of a report in a terminal: what went wrong, in which lines of source, and what to type next.
//
//   WARNING: heddle: data race (pid=4711)
//     T1 wrote balance at bank.cpp:12, and T2 read it at bank.cpp:19. Nothing orders these two accesses.
//     bank.cpp:12 | balance += amount;
//                 |         ^ T1 wrote balance
//     bank.cpp:19 | return balance;
//                 |        ^ T2 read balance
//     leads to: assertion failure bank.cpp:31:3 in main, in 12 % of 1,000 executions with its accesses as choices
//               heddle replay heddle-out/bug-2.heddle
//   SUMMARY: heddle: data race bank.cpp:12:11 in deposit(int)
//   reproduce: heddle replay heddle-out/bug-1.heddle
//   explain:   heddle explain heddle-out/bug-1.heddle
//   page:      heddle report --html page.html heddle-out
#pragma once

#include <string>

#include "tool/report/names.h"
#include "tool/report/text.h"
#include "tool/trace/trace.h"

namespace heddle::report {

inline constexpr std::size_t kFirstBlockLines = 12;

std::string first_block(const Trace& trace, const TraceFinding& finding, const TextOptions& options,
                        Names& names);

}  // namespace heddle::report
