// Vectors of an element that are alike, in groups. Runs that go the same way differ in few places, so what a
// vector has otherwise than the middle of its group is a short list. Two lists say exactly at how many
// positions two vectors of a group differ, without reading either of them.
//
// Hamming distance is a metric: past its end a vector has a thread that is nobody's. So distances from the
// middles, and between them, bound that of any two vectors. A vector that is like no other is in no group.
// How alike it can be to others is what some pairs of the element say, with room to spare.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tool/merge/ranking/packed_vectors.h"
#include "tool/merge/ranking/vector_samples.h"
#include "tool/merge/store/log_set.h"

namespace heddle::merge {

class VectorGroups {
 public:
  // REQUIRES: `samples` outlives this.
  VectorGroups(const LogSet& logs, const VectorSamples& samples);

  // Of all elements together, groups are numbered from 0; kNone: in none.
  std::size_t groups() const { return groups_.size(); }
  std::uint32_t group(VectorIndex vector) const { return known_[vector].group; }

  // Hamming similarity (thesis §3.2.3) of two vectors of an element, where it is known without reading them.
  std::optional<double> alike(VectorIndex a, VectorIndex b) const;
  // At most this; of vectors in no group, hardly ever more.
  double most_alike(VectorIndex a, VectorIndex b) const;
  // At most so alike is it to any vector of the element that is in another group or none.
  double most_alike_elsewhere(VectorIndex vector) const;

 private:
  struct Known {
    std::uint64_t from_middle = 0;  // distance
    ElementIndex element = kNone;
    std::uint32_t group = kNone;
    std::uint32_t first = 0;      // of its differences from the middle
    std::uint32_t count = kNone;  // how many differences; kNone: too many to be listed
  };
  struct Difference {
    std::uint32_t begin, end;
    std::uint32_t thread;
  };
  struct Group {
    std::uint32_t first = 0;    // group of the element
    std::size_t distances = 0;  // to each of them, from middle to middle: where they begin in between_
    std::uint64_t gap = 0;      // from its middle to the nearest vector of another group, at least
    std::uint64_t longest = 0;  // vector of the element
  };
  using Voters = std::vector<std::vector<VectorIndex>>;  // by group: what makes its middle, its leader first

  Voters find_groups(const std::vector<VectorIndex>& vectors) const;
  std::pair<std::size_t, double> nearest(VectorIndex vector, const Voters& groups) const;
  void add_groups(const LogSet& logs, const std::vector<VectorIndex>& vectors);
  void measure_between(const std::vector<std::string_view>& middles, const std::vector<std::uint64_t>& radius,
                       std::uint64_t longest);
  std::uint64_t list_differences(const LogSet& logs, VectorIndex vector, std::string_view middle);
  double most_without_group(const LogSet& logs, const std::vector<VectorIndex>& alone,
                            const std::vector<VectorIndex>& all) const;
  std::uint64_t distance(const Known& a, const Known& b) const;

  const VectorSamples& samples_;
  std::vector<Known> known_;  // by vector
  std::vector<Group> groups_;
  std::vector<Difference> differences_;
  std::vector<std::uint64_t> between_;
  PackedVectors packed_;                    // of elements with vectors that have no list
  std::vector<double> most_without_group_;  // by element: how alike vectors in no group are to others
};

}  // namespace heddle::merge
