// Every execution once: depth-first search over the choice log, without any reduction. An execution follows
// the path of picks that the last one left, changed at its last choice that still has an alternative, and
// takes the unsurprising one from there on; so the first execution is the plain one, and the last the
// strangest.
//
// The path lies in memory shared with the executions, which are processes of their own. It is what one worker
// has to do after the other: a campaign with this strategy has one worker.
#pragma once

#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class ExhaustiveStrategy final : public Strategy {
 public:
  // Choices deeper than this are not varied; the search then does not claim to be complete.
  static constexpr std::uint32_t kMostDepth = 1u << 20;

  ExhaustiveStrategy();
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  bool prepare_next() override;
  bool explored_all() const override { return !path_->incomplete; }
  bool repeatable_by_index() const override { return false; }
  bool diverged() const override { return diverged_; }

 private:
  // Alternatives are tried in turn from the fallback on.
  struct Point {
    std::uint32_t tried;  // after the fallback: 0 is the fallback itself
    std::uint32_t count;
    std::uint32_t alternatives_hash;
  };
  struct Path {
    std::uint32_t depth = 0;   // points that the last execution came by
    std::uint32_t prefix = 0;  // of these, those that the next one is to repeat
    bool started = false;
    bool incomplete = false;  // something was not varied, or the program does not repeat itself
    Point points[kMostDepth];
  };

  Path* path_;
  std::uint32_t at_ = 0;
  bool diverged_ = false;
};

}  // namespace heddle::strategy
