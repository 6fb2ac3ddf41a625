#include "runtime/strategy/exhaustive.h"

#include "core/base/pages.h"

namespace heddle::strategy {

ExhaustiveStrategy::ExhaustiveStrategy() : path_(static_cast<Path*>(map_shared_pages(sizeof(Path)))) {}

bool ExhaustiveStrategy::prepare_next() {
  if (!path_->started) {
    path_->started = true;
    return true;
  }
  while (path_->depth > 0) {
    Point& last = path_->points[path_->depth - 1];
    if (last.tried + 1 < last.count) {
      ++last.tried;
      path_->prefix = path_->depth;
      return true;
    }
    --path_->depth;
  }
  return false;
}

void ExhaustiveStrategy::begin(std::uint64_t, std::uint64_t, const View&) {
  at_ = 0;
  diverged_ = false;
  path_->depth = 0;
}

std::uint32_t ExhaustiveStrategy::choose(const ChoicePoint& point) {
  if (at_ == kMostDepth) {
    path_->incomplete = true;
    return point.fallback;
  }
  Point& here = path_->points[at_++];
  if (at_ > path_->prefix) {
    here = {0, point.count, point.alternatives_hash};
  } else if (here.count != point.count || here.alternatives_hash != point.alternatives_hash) {
    // The same choices led elsewhere: the program is not a function of them, and nothing below is known.
    diverged_ = path_->incomplete = true;
    return point.fallback;
  }
  path_->depth = at_;
  return (point.fallback + here.tried) % point.count;
}

}  // namespace heddle::strategy
