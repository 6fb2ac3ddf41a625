// The most similar logs by DHS. As by PSIM and DSIM (exact_neighbours.h), the logs are split into parts, the
// heaviest element of the base first, and what cannot be better is left alone; only that what counts for an
// element is in which group of alike vectors (vector_groups.h) a log's vector is: the base's, another, or
// none. A log that is left is compared by its differences from the groups' middles, which is exact. Where
// those are too many, samples estimate (vector_samples.h) which few logs are compared in full.
//
// After so many logs a search ends, so that its cost is bounded where no two runs are alike: the logs of the
// base's groups came first.
#pragma once

#include <vector>

#include "tool/merge/ranking/log_part.h"
#include "tool/merge/ranking/neighbour_query.h"
#include "tool/merge/ranking/similarity.h"
#include "tool/merge/ranking/vector_groups.h"

namespace heddle::merge {

class HammingNeighbours {
 public:
  // `order`: all logs, shuffled. REQUIRES: all outlive this.
  HammingNeighbours(const LogSet& logs, const Weights& weights, const std::vector<LogIndex>& order,
                    const std::vector<std::uint32_t>& place, std::uint64_t seed);

  struct Scratch {
    std::vector<LogPart> parts;                      // by depth
    std::vector<std::vector<ElementIndex>> missing;  // elements of the base that the part may fill, by depth
    std::vector<Recorded> elements;                  // of the base, heaviest first
    std::vector<double> needed;                      // by element: sum that one has to reach
    std::vector<std::vector<std::pair<double, LogIndex>>> estimates;  // by missing element
    std::vector<double> most;     // of a log: by element in common, what it adds at most
    double slack = 0;             // for rounding
    std::uint64_t effort = 0;     // words looked at
    std::uint64_t looked_at = 0;  // logs
  };

  void find(NeighbourQuery& query, Scratch& scratch) const;

 private:
  double weight(ElementIndex element) const { return static_cast<double>(weights_.of_element[element]); }
  const std::uint64_t* bits_of(std::uint32_t group) const {
    return group == kNone || bits_of_group_[group] == kNone ? nullptr
                                                            : &bits_[bits_of_group_[group] * words_];
  }
  const std::uint64_t* having(ElementIndex element) const { return &having_[element * words_]; }
  bool is_too_much(const Scratch& scratch) const;
  bool any_has(const LogPart& part, ElementIndex element, Scratch& scratch) const;
  void split(NeighbourQuery& query, Scratch& scratch, std::size_t depth, double bound) const;
  void look_at(NeighbourQuery& query, Scratch& scratch, LogIndex log) const;
  void look_anywhere(NeighbourQuery& query, Scratch& scratch) const;
  void compare_best(NeighbourQuery& query, Scratch& scratch) const;

  const LogSet& logs_;
  const Weights& weights_;
  const std::vector<LogIndex>& order_;
  const std::vector<std::uint32_t>& place_;
  VectorSamples samples_;
  VectorGroups groups_;
  std::size_t words_ = 0;  // of a set
  std::vector<std::uint64_t> having_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> bits_of_group_;     // kNone: few logs are in it
  std::vector<std::vector<LogIndex>> with_few_;  // the logs of a group with few, by group
};

}  // namespace heddle::merge
