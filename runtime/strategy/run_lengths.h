// How long threads run on: the scales from which an execution draws one, and lengths with that mean.
#pragma once

#include <cstdint>

#include "core/base/random.h"

namespace heddle::strategy {

inline std::uint32_t draw_run_scale(Random& random) {
  constexpr std::uint32_t kScales[] = {4, 16, 64, 256, 1024, 4096};
  return kScales[random.below(sizeof kScales / sizeof kScales[0])];
}

// Geometric, with the mean of the scale: the number of draws until one of `scale` comes up. Drawn by halves, so that it
// takes few draws whatever the scale is: a length is exponential with half-life h = scale * ln 2, and so is a number of
// half-lives, each with probability 1/2, with a part of one that is close to uniform.
inline std::uint32_t draw_run_length(Random& random, std::uint32_t scale) {
  if (scale <= 1) return 0;
  const std::uint32_t half = scale * 693 / 1000 + 1;
  std::uint32_t length = random.below(half);
  for (int halves = 0; halves < 20 && random.below(2) == 0; ++halves) length += half;
  return length;
}

}  // namespace heddle::strategy
