// What vectors have at sampled positions: an estimate of how alike two of an element are (bit sampling, the
// locality-sensitive hash of Hamming space: Indyk and Motwani, STOC 1998).
#pragma once

#include <array>
#include <vector>

#include "tool/merge/store/log_set.h"

namespace heddle::merge {

class VectorSamples {
 public:
  static constexpr std::size_t kSamples = 96;

  VectorSamples(const LogSet& logs, std::uint64_t seed);

  // Share of positions at which both have the same thread, as far as the samples say.
  double alike(VectorIndex a, VectorIndex b) const;
  // Three standard deviations of that, at most.
  static double margin();
  std::uint64_t length(VectorIndex vector) const { return lengths_[vector]; }
  const std::vector<std::uint64_t>& lengths() const { return lengths_; }

 private:
  static constexpr std::uint8_t kPastEnd = 0xff;
  using Samples = std::array<std::uint8_t, kSamples>;

  std::vector<Samples> threads_;        // by vector
  std::vector<std::uint8_t> within_;    // sampled positions before a vector's end, by vector
  std::vector<std::uint64_t> lengths_;  // lengths of the vectors themselves
};

}  // namespace heddle::merge
