// Feedback by what executions have shown: the choice logs of those with a new pair of places between which a
// value was read, or with a new fingerprint, are kept (core/trace/corpus.h), and most executions are a
// variation of one of them. After the idea of reads-from fuzzing (Wolff et al.: Greybox Fuzzing for
// Concurrency Testing, ASPLOS 2024), on the choice log instead of on constraints:
//   cut      the log up to a random choice, then at random
//   change   the log with another alternative at one choice, and then on as far as its picks are on offer
//   splice   the beginning of one log and then the end of another
// One execution in eight, and all before there is a log, are a random walk. The corpus changes while a bug is
// looked at, so that only its log repeats an execution.
#pragma once

#include "core/trace/corpus.h"
#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class GreyboxStrategy final : public Follower {
 public:
  GreyboxStrategy() { keep_picks(&own_record_); }
  std::uint32_t choose(const ChoicePoint& point) override;
  bool repeatable_by_index() const override { return false; }

 protected:
  void start() override;

 private:
  static constexpr std::uint32_t kLookAhead = 8;
  static constexpr std::uint32_t kNever = ~0u;

  std::uint32_t follow(const ChoicePoint& point);

  ChoiceRecord own_record_;
  std::span<const Pick> guide_;
  std::span<const Pick> second_;  // taken after the first
  std::uint32_t next_ = 0;
  std::uint32_t change_at_ = kNever;
};

}  // namespace heddle::strategy
