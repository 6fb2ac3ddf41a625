// The path of a thread: the branches that it came through and the way each went (Machado, PhD thesis, 5.2.1,
// where it is a string of bits).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::search {

// A branch and its outcome. What names the branch is the caller's: the same in all executions of one build.
struct Step {
  std::uint64_t bits = 0;

  static constexpr Step make(std::uint64_t branch, bool taken) { return {branch << 1 | (taken ? 1u : 0u)}; }
  constexpr bool taken() const { return (bits & 1) != 0; }
  constexpr std::uint64_t branch() const { return bits >> 1; }
  constexpr Step flipped() const { return {bits ^ 1}; }
  friend constexpr auto operator<=>(Step, Step) = default;
};

using Path = std::vector<Step>;

// "10": taken, not taken.
inline std::string bits_of(const Path& path) {
  std::string bits;
  for (const Step step : path) bits += step.taken() ? '1' : '0';
  return bits;
}

}  // namespace heddle::search
