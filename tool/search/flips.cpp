#include "tool/search/flips.h"

#include <algorithm>
#include <numeric>

namespace heddle::search {

namespace {
// Beyond this many of one size, those of the nearest branches are enough for a lifetime.
constexpr std::size_t kMostOfOneSize = 100'000;
}  // namespace

FlipOrder::FlipOrder(std::uint32_t branches, std::uint32_t depth, std::uint32_t most_together)
    : depth_(std::min(branches, depth)), most_together_(std::min(depth_, most_together)) {}

void FlipOrder::prepare() {
  Flips now(size_);
  std::iota(now.begin(), now.end(), 0u);
  while (ready_.size() < kMostOfOneSize) {
    ready_.push_back(now);
    // The next in lexicographic order.
    std::uint32_t at = size_;
    while (at > 0 && now[at - 1] == depth_ - size_ + at - 1) --at;
    if (at == 0) break;
    ++now[at - 1];
    for (std::uint32_t i = at; i < size_; ++i) now[i] = now[i - 1] + 1;
  }
  const auto total = [](const Flips& f) { return std::accumulate(f.begin(), f.end(), std::uint64_t{0}); };
  // Among equal totals, the one with the nearest branch first.
  std::stable_sort(ready_.begin(), ready_.end(), [&](const Flips& a, const Flips& b) {
    return std::pair(total(a), a) > std::pair(total(b), b);
  });
}

Flips FlipOrder::next() {
  if (ready_.empty()) {
    if (size_ >= most_together_) return {};
    ++size_;
    prepare();
  }
  Flips flips = std::move(ready_.back());
  ready_.pop_back();
  return flips;
}

}  // namespace heddle::search
