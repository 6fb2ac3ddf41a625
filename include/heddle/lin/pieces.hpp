// A long history in pieces, as CGVT's detection makes them (III.B): each thread does a few operations, and
// all meet before they go on. What is triggered in one piece can be revealed in any later one, and D-PCT
// schedules every piece anew.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "heddle/lin/operation.hpp"

namespace heddle::lin {

class Pieces {
 public:
  // Nobody meets.
  Pieces() = default;
  // Pieces of 1 to `most` operations of each thread, until they have done so many. `one`: the first thread
  // does a single one in each piece.
  Pieces(Draw& draw, unsigned threads, unsigned operations, unsigned most, bool one) : ends_(threads) {
    for (bool goes_on = operations != 0; goes_on;) {
      goes_on = false;
      for (unsigned i = 0; i < threads; ++i) {
        const std::size_t done = ends_[i].empty() ? 0 : ends_[i].back();
        const bool single = one && i == 0 && threads > 1;
        const std::size_t end = done + (single ? 1 : 1 + draw.below(most));
        ends_[i].push_back(std::min<std::size_t>(end, operations));
        goes_on = goes_on || (!single && ends_[i].back() < operations);
      }
    }
  }

  std::size_t count() const { return ends_.empty() ? 1 : ends_[0].size(); }
  std::size_t begin(std::size_t thread, std::size_t piece) const {
    return piece == 0 ? 0 : ends_[thread][piece - 1];
  }
  // Of a lane with so many operations.
  std::size_t end(std::size_t thread, std::size_t piece, std::size_t size) const {
    return ends_.empty() ? size : std::min(size, ends_[thread][piece]);
  }
  unsigned operations(std::size_t thread) const {
    return ends_[thread].empty() ? 0 : static_cast<unsigned>(ends_[thread].back());
  }

 private:
  std::vector<std::vector<std::size_t>> ends_;  // by thread and piece: operations that are done then
};

class Meeting {
 public:
  explicit Meeting(std::size_t threads) {
    pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(std::max<std::size_t>(threads, 1)));
  }
  ~Meeting() { pthread_barrier_destroy(&barrier_); }
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;
  void wait() { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_;
};

}  // namespace heddle::lin
