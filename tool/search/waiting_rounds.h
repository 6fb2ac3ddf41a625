// Rounds of loops that wait. Natively a thread may go round hundreds of thousands of times until another one
// has done something, under the engine a few times; everything else being equal, that is the same path. And
// runs that differ in nothing else are one.
#pragma once

#include "tool/search/traced_run.h"

namespace heddle::search {

// From this number of equal rounds on, one after the other, a loop may be one that waits.
inline constexpr std::size_t kManyRounds = 64;

// The path of a log with as many rounds of its waiting loops as `ran` made of them: of loops with many equal
// rounds that values of other threads ended (`ran.records`). Loops that count have their rounds in both.
Path with_rounds_of(const Path& log, const ThreadPath& ran);

// Without those of many equal rounds that come after the first kManyRounds.
Path without_further_rounds(const Path& path);

}  // namespace heddle::search
