// How a search tells what it did.
#pragma once

#include <functional>
#include <string>

#include "tool/search/search.h"

namespace heddle::cli {

// "fig_5_1.cpp:31" of a pc; empty: not known.
using PlaceNames = std::function<std::string(std::uint64_t)>;

// One line: what was asked, and what came of it.
std::string attempt_line(const search::Attempt& attempt, const PlaceNames& places);

// Base run, flips and the schedule that was solved.
std::string derivation_text(const search::FoundBug& bug, const PlaceNames& places);

}  // namespace heddle::cli
