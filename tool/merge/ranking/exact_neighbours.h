// The most similar logs by PSIM or DSIM, exactly and without looking at all of them.
//
// To a base, a log is equal, different or without a vector in each of the base's elements, and nothing else
// matters. So the logs are split into those three parts, element by element, the heaviest first, and the
// most promising part first (branch and bound, Land and Doig 1960): how similar the logs of a part can still
// be is known, and a part that cannot be better for anything that is missing is left alone. Parts are sets
// of bits, in the shuffled order, so that equally similar logs are one part whose first is the one that
// chance picks.
//
// Vectors that few logs have get no bits: those logs are compared one by one, before.
#pragma once

#include <vector>

#include "tool/merge/ranking/log_part.h"
#include "tool/merge/ranking/neighbour_query.h"
#include "tool/merge/ranking/similarity.h"

namespace heddle::merge {

class ExactNeighbours {
 public:
  // `order`: all logs, shuffled. REQUIRES: all outlive this.
  ExactNeighbours(const LogSet& logs, const Weights& weights, const std::vector<LogIndex>& order,
                  const std::vector<std::uint32_t>& place);

  struct Scratch {
    std::vector<LogPart> parts;                      // by depth
    std::vector<std::vector<ElementIndex>> missing;  // elements of the base that the part may fill, by depth
    std::vector<Recorded> elements;
    std::uint64_t effort = 0;  // words looked at
  };

  // Logs with nothing equal are not offered.
  void find(NeighbourQuery& query, Scratch& scratch) const;

 private:
  // Sums over the elements that were compared; `possible`: what the rest may add to `equal`.
  struct Bounds {
    std::uint64_t equal = 0, different = 0, possible = 0;
  };
  double similarity_of(std::uint64_t equal, std::uint64_t different) const {
    const auto total = static_cast<double>(weights_.total);
    return static_cast<double>(equal * (weights_.total - different)) / (total * total);
  }
  const std::uint64_t* bits_of(VectorIndex vector) const {
    return bits_of_vector_[vector] == kNone ? nullptr : &bits_[bits_of_vector_[vector] * words_];
  }
  const std::uint64_t* having(ElementIndex element) const { return &having_[element * words_]; }
  bool is_too_much(const Scratch& scratch) const;
  bool any_has(const LogPart& part, ElementIndex element, Scratch& scratch) const;
  void compare(NeighbourQuery& query, LogIndex log) const;
  void compare_all_with(NeighbourQuery& query, VectorIndex vector) const;
  void split(NeighbourQuery& query, Scratch& scratch, std::size_t depth, const Bounds& bounds) const;
  void offer_all(NeighbourQuery& query, const LogPart& part, const std::vector<ElementIndex>& missing,
                 double similarity) const;

  const LogSet& logs_;
  const Weights& weights_;
  const std::vector<LogIndex>& order_;
  const std::vector<std::uint32_t>& place_;
  std::size_t words_ = 0;  // of a set
  std::vector<std::uint64_t> having_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> bits_of_vector_;    // kNone: few have it
  std::vector<std::vector<LogIndex>> with_few_;  // the logs that have a rare vector, by vector
  std::vector<VectorIndex> popular_;
};

}  // namespace heddle::merge
