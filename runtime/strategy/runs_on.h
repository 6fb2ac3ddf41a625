// `random:switch=N` by itself: a random walk in which threads run on (long_runs.h says why), at the cost of a counter.
// While a thread goes on, the engine counts down and asks nobody (Strategy::stay); at the end of a run it asks which
// thread is next.
//
// Nothing follows the execution. That a thread spins is seen by what it leaves: a run is counted in pieces, and one in
// which nothing changed that others could see is its last.
#pragma once

#include "core/base/random.h"
#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class RunsOnStrategy final : public Strategy {
 public:
  // `mean`: operations of a run on average; 0: drawn for each execution from several scales.
  explicit RunsOnStrategy(std::uint32_t mean) : mean_(mean) {}
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  // Where loads read the newest store, not all is drawn alike.
  Random* uniform() override { return reads_newest_ ? nullptr : &random_; }
  std::uint32_t* stay() override { return &stay_; }

 private:
  bool goes_on(const ChoicePoint& point) const;

  std::uint32_t mean_;
  Random random_;
  const View* view_ = nullptr;
  std::uint32_t scale_ = 1;        // of this execution
  std::uint32_t stay_ = 0;         // operations of this piece that are left: the engine counts down
  std::uint32_t left_ = 0;         // of the run, after this piece
  std::uint64_t piece_began_ = 0;  // before so many visible operations
  bool reads_newest_ = false;
};

}  // namespace heddle::strategy
