#include "runtime/memory/bounds.h"

#include <algorithm>

namespace heddle::memory {

void Bounds::reset() {
  words_ = 1;
  known_ = &known_word_;
  excluded_ = &excluded_word_;
}

void Bounds::clear(const Location& x) {
  if (x.words > words_) {
    if (words_ != 1) {
      arena_.release_array(known_, words_);
      arena_.release_array(excluded_, words_);
    }
    words_ = x.words;
    known_ = arena_.allocate_array<std::uint64_t>(words_);
    excluded_ = arena_.allocate_array<std::uint64_t>(words_);
  }
  known_[0] = excluded_[0] = 0;
  for (std::uint32_t w = 1; w < x.words; ++w) known_[w] = excluded_[w] = 0;
}

void Bounds::set_to_all(const Location& x) {
  clear(x);
  std::copy_n(x.live, x.words, known_);
  std::copy_n(x.live, x.words, excluded_);
  Location::clear(excluded_, x.slot(x.newest));
}

void Bounds::compute_fully(const Location& x, const ThreadClocks& clocks, const BoundAccess& access,
                           const Model& model) {
  clear(x);
  // The initial store happens before everything; see Location::floor.
  if (x.floor != kNoSequence) add(x, x.floor);
  model.bind(*this, x, clocks, access);
}

}  // namespace heddle::memory
