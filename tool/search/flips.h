// In which order branches are flipped (Machado, PhD thesis, 5.2.2.2): each of the D nearest to the assertion
// alone, nearest first, then pairs of them by their total distance, then three, and so on.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::search {

// Ranks by distance, 0 is the nearest; ascending.
using Flips = std::vector<std::uint32_t>;

class FlipOrder {
 public:
  // Of `branches` there are the nearest `depth`; at most `most_together` are flipped at once.
  FlipOrder(std::uint32_t branches, std::uint32_t depth, std::uint32_t most_together);

  // The next ones; empty: that was all.
  Flips next();

 private:
  void prepare();  // all of size_, by their total

  std::uint32_t depth_, most_together_;
  std::uint32_t size_ = 0;
  std::vector<Flips> ready_;  // last is next
};

}  // namespace heddle::search
