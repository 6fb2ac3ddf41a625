// How a search tells what it did.
#pragma once

#include <string>

#include "tool/search/search.h"

namespace heddle::cli {

// "fig_5_1.cpp:31"; empty: not known.
std::string source_place(const Trace& trace, std::uint64_t pc);

// One line: what was asked, and what came of it. `run`: whose symbols name places.
std::string attempt_line(const search::Attempt& attempt, const Trace& symbols);

// Base run, flips and the schedule that was solved.
std::string derivation_text(const search::FoundBug& bug, const Trace& symbols);

}  // namespace heddle::cli
