// Replays a choice log. Exact: every choice point must offer what it offered when the log was written; the
// first one that does not is a divergence, and defaults are taken from there on. Guided: the log is a wish
// list; where its next entry is not on offer the unsurprising alternative is taken and the log waits.
#pragma once

#include <span>

#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class ReplayStrategy final : public Strategy {
 public:
  void set_log(std::span<const Choice> log, bool exact) {
    log_ = log;
    exact_ = exact;
  }
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  bool diverged() const override { return diverged_; }
  std::uint32_t position() const { return next_; }

 private:
  std::uint32_t choose_exact(const ChoicePoint& point);
  std::uint32_t choose_guided(const ChoicePoint& point);

  std::span<const Choice> log_;
  std::uint32_t next_ = 0;
  bool exact_ = true;
  bool diverged_ = false;
};

// The alternative of `point` that `choice` names, or point.count.
std::uint32_t find_alternative(const ChoicePoint& point, Choice choice);

}  // namespace heddle::strategy
