// PRES-BB's sketch (thesis §3.5.3.2): in which order threads entered blocks, all of them together. A log has
// the part of it that its own blocks have, which tells more than their vectors: how far threads were apart.
#pragma once

#include <cstdint>
#include <vector>

#include "tool/record/access_log.h"

namespace heddle::merge {

class EntryOrder {
 public:
  // One of the log's vectors.
  void add(const AccessVector& vector);
  // By the ranks of all that were added; empty where these have none. Entries between the first and the last
  // one of a run are taken to be evenly spaced.
  std::vector<ThreadRun> runs() const;

 private:
  struct Piece {
    double rank = 0;
    std::uint32_t thread = 0;
    std::uint64_t entries = 0;
  };
  std::vector<Piece> pieces_;
  bool is_ranked_ = false;
};

}  // namespace heddle::merge
