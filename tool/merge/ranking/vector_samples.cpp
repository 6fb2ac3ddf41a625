#include "tool/merge/ranking/vector_samples.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"

namespace heddle::merge {

VectorSamples::VectorSamples(const LogSet& logs, std::uint64_t seed)
    : threads_(logs.vectors()), within_(logs.vectors()), lengths_(logs.vectors()) {
  Random random(seed);
  std::vector<std::uint64_t> positions;
  std::array<std::uint32_t, kSamples> sampled;
  for (ElementIndex e = 0; e < logs.elements(); ++e) {
    std::uint64_t longest = 0;
    for (const VectorIndex v : logs.vectors_of(e)) {
      lengths_[v] = length_of(logs.bytes(v));
      longest = std::max(longest, lengths_[v]);
    }
    // Stratified, so that no stretch of a vector is without a sample.
    positions.clear();
    const std::uint64_t count = std::min<std::uint64_t>(longest, kSamples);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t from = longest * i / count, to = longest * (i + 1) / count;
      positions.push_back(from + random.next() % (to - from));
    }
    for (const VectorIndex v : logs.vectors_of(e)) {
      sample(logs.bytes(v), positions, sampled.data());
      threads_[v].fill(kPastEnd);
      for (std::size_t i = 0; i < count; ++i) {
        // Threads beyond the 254th share a number: it is an estimate.
        if (sampled[i] == kNoThread) continue;
        threads_[v][i] = static_cast<std::uint8_t>(std::min<std::uint32_t>(sampled[i], kPastEnd - 1));
        ++within_[v];
      }
    }
  }
}

double VectorSamples::alike(VectorIndex a, VectorIndex b) const {
  if (a == b) return 1;
  const Samples &x = threads_[a], &y = threads_[b];
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < kSamples; ++i) equal += x[i] == y[i] && x[i] != kPastEnd ? 1 : 0;
  const std::uint32_t of = std::max(within_[a], within_[b]);
  return of == 0 ? 0 : static_cast<double>(equal) / of;
}

double VectorSamples::margin() { return 3 * 0.5 / std::sqrt(static_cast<double>(kSamples)); }

}  // namespace heddle::merge
