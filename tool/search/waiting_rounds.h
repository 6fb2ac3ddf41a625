// Rounds of loops that wait. Natively a thread may go round hundreds of thousands of times until another one
// has done something, under the engine a few times; everything else being equal, that is the same path. And
// runs that differ in nothing else are one.
#pragma once

#include <optional>

#include "tool/search/traced_run.h"

namespace heddle::search {

// From this number of equal rounds on, one after the other, a loop may be one that waits.
inline constexpr std::size_t kManyRounds = 64;

// Equal rounds, one after the other: path[k] == path[k - period] for all k from begin + period to end.
struct Rounds {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t period = 1;
  std::size_t count() const { return (end - begin) / period; }
};
// kManyRounds or more that begin here.
std::optional<Rounds> many_rounds_from(const Path& path, std::size_t begin);

// The path of a log with as many rounds of its waiting loops as `ran` made of them: of loops with many equal
// rounds that values of other threads ended (`ran.records`). Loops that count have their rounds in both.
Path with_rounds_of(const Path& log, const ThreadPath& ran);

// Without those of many equal rounds that come after the first kManyRounds.
Path without_further_rounds(const Path& path);

}  // namespace heddle::search
