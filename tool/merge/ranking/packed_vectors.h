// Vectors position by position, four bits each, so that two are compared sixteen positions at a time. For
// vectors of short runs that are like no others; they take more room than the runs do.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tool/merge/store/log_set.h"

namespace heddle::merge {

class PackedVectors {
 public:
  explicit PackedVectors(std::size_t vectors) : packed_(vectors) {}

  // Nothing happens where there is no room, runs are long or threads many.
  void add(VectorIndex vector, std::string_view bytes, std::uint64_t length);
  // Positions at which they differ, those past the end of one included, if both were added.
  std::optional<std::uint64_t> distance(VectorIndex a, VectorIndex b) const;

 private:
  struct Packed {
    std::size_t begin = 0;
    std::uint64_t length = 0;
    bool is_known = false;
  };
  std::vector<Packed> packed_;  // by vector
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::merge
