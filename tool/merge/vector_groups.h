// Vectors of an element that are alike, in groups. Runs that go the same way differ in few places: what a
// vector has otherwise than the middle of its group is a short list, and two lists say exactly at how many
// positions two vectors of a group differ, without reading either of them.
//
// Hamming distance is a metric (past its end a vector has a thread that is nobody's), so distances from the
// middles, and between them, bound that of any two vectors.
#pragma once

#include <optional>
#include <vector>

#include "tool/merge/log_set.h"
#include "tool/merge/vector_samples.h"

namespace heddle::merge {

class VectorGroups {
 public:
  // REQUIRES: `samples` outlives this.
  VectorGroups(const LogSet& logs, const VectorSamples& samples);

  // Of all elements together, groups are numbered from 0.
  std::size_t groups() const { return groups_.size(); }
  std::uint32_t group(VectorIndex vector) const { return known_[vector].group; }

  // Hamming similarity (thesis §3.2.3) of two vectors of an element, where the lists say it.
  std::optional<double> alike(VectorIndex a, VectorIndex b) const;
  // At most this.
  double most_alike(VectorIndex a, VectorIndex b) const;
  // … of any vector of the element that is in another group.
  double most_alike_elsewhere(VectorIndex vector) const;

 private:
  struct Known {
    std::uint64_t from_middle = 0;  // distance
    std::uint32_t group = 0;
    std::uint32_t first = 0;      // of its differences from the middle
    std::uint32_t count = kNone;  // … kNone: too many to be listed
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

  std::vector<std::vector<VectorIndex>> divide(const std::vector<VectorIndex>& vectors);
  std::uint64_t list_differences(const LogSet& logs, VectorIndex vector, std::string_view middle);
  void add_groups(const LogSet& logs, const std::vector<VectorIndex>& vectors);
  std::uint64_t distance(const Known& a, const Known& b) const;

  const VectorSamples& samples_;
  std::vector<Known> known_;  // by vector
  std::vector<Group> groups_;
  std::vector<Difference> differences_;
  std::vector<std::uint64_t> between_;
};

}  // namespace heddle::merge
