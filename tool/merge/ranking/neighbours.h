// The k nearest neighbours of partial logs (thesis §3.3.1): for each element that a log misses, the log most
// similar to it that has the element, similarity being to the log as it was recorded. Among equally similar
// ones chance decides, by a seed: the first in a shuffled order that begins anew for every base log, so that
// one of them serves all the elements that it has.
//
// All pairs would be quadratic in logs. For PSIM and DSIM the answer is exact (exact_neighbours.h). For DHS
// it is where runs go a few ways from which each differs little, and else as good as estimates are
// (hamming_neighbours.h); docs/design/merge.md has the measured recall.
#pragma once

#include <memory>
#include <vector>

#include "tool/merge/ranking/exact_neighbours.h"
#include "tool/merge/ranking/hamming_neighbours.h"

namespace heddle::merge {

struct Neighbour {
  LogIndex log = kNone;
  double similarity = 0;
  std::vector<Recorded> fills;  // of the elements that the base misses
};

class NeighbourIndex {
 public:
  // REQUIRES: `logs` outlives this and does not change.
  NeighbourIndex(const LogSet& logs, Metric metric, std::uint64_t seed);
  ~NeighbourIndex();

  // Most similar first. Elements that no log has stay unfilled. Safe to call from several threads.
  std::vector<Neighbour> neighbours(LogIndex base) const;

  Metric metric() const { return metric_; }
  const Weights& weights() const { return weights_; }
  // Pairs whose similarity was computed in full, for figures.
  std::uint64_t compared() const;

 private:
  struct Scratch;
  struct Pool;
  std::unique_ptr<Scratch> take_scratch() const;
  void give_scratch(std::unique_ptr<Scratch> scratch) const;
  void fill_from_anywhere(NeighbourQuery& query) const;

  const LogSet& logs_;
  Metric metric_;
  std::uint64_t seed_;
  Weights weights_;
  std::vector<LogIndex> order_;                      // all logs, shuffled
  std::vector<std::uint32_t> place_;                 // of each log in it
  std::vector<std::vector<LogIndex>> with_element_;  // logs that have it, in the shuffled order
  std::unique_ptr<ExactNeighbours> exact_;           // PSIM and DSIM
  std::unique_ptr<HammingNeighbours> hamming_;       // DHS
  std::unique_ptr<Pool> pool_;
};

}  // namespace heddle::merge
