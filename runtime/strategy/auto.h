// The portfolio: which strategy runs an execution is itself a choice, by what the strategies have found so
// far.
//
//   executions 0 to 15     a fixed order, from the shallowest bugs on; k, k_com and the places are learned
//   16 to 143 at most      exhaustive search, one execution after the other. It ends the campaign if the
//                          program is that small, and goes on in every second one if its own estimate says
//                          that it will come to its end within the campaign's budget; it stops early where
//                          that is out of reach. Not where the budget is small anyway, or where bugs are to
//                          be counted
//   from there on          members are drawn in proportion to how many of their recent executions were unlike
//                          all before (where bugs are counted: had a bug), for what they cost, with a part
//                          for everyone: a bandit with fixed rounds
//
// An execution is new if its fingerprint is: who read what, in which order objects were taken, and what bug
// it ended in. Costs count operations, never time, and only rounds that are over: campaigns repeat
// themselves, whatever the number of workers.
#pragma once

#include "core/trace/portfolio.h"
#include "runtime/strategy/delays.h"
#include "runtime/strategy/exhaustive.h"
#include "runtime/strategy/greybox.h"
#include "runtime/strategy/long_runs.h"
#include "runtime/strategy/pct.h"
#include "runtime/strategy/pctwm.h"
#include "runtime/strategy/places.h"
#include "runtime/strategy/pos.h"
#include "runtime/strategy/profile.h"
#include "runtime/strategy/random_walk.h"
#include "runtime/strategy/surw.h"

namespace heddle::strategy {

class AutoStrategy final : public Strategy, public Observer {
 public:
  explicit AutoStrategy(const StrategySpec& spec);
  void attach(Learning* learning) override;
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  Observer* observer() override { return this; }
  void end(ExecutionResult& result) override;
  void teach(const ExecutionResult& result) override;
  std::uint64_t needs(std::uint64_t index) const override;
  bool prepare_next(std::uint64_t index) override;
  bool explored_all() const override { return exhaustive_.explored_all(); }
  bool repeatable_by_index() const override { return member_->repeatable_by_index(); }
  bool may_break_off() const override { return member_->may_break_off(); }
  bool diverged() const override { return member_->diverged(); }
  bool abandoned() const override { return member_->abandoned(); }

  void performed(const Operation& operation) override;
  void created(ThreadId parent, ThreadId child) override { follower_->created(parent, child); }
  void joined(ThreadId joiner, ThreadId finished) override { follower_->joined(joiner, finished); }
  void released(ThreadId thread, std::uint32_t object) override { follower_->released(thread, object); }
  void acquired(ThreadId thread, std::uint32_t object) override { follower_->acquired(thread, object); }
  void operation_called(ThreadId thread, std::uint32_t operation) override {
    follower_->operation_called(thread, operation);
  }
  void operation_returned(ThreadId thread) override { follower_->operation_returned(thread); }

 private:
  // What the members have done in earlier rounds, the latest ones counting most.
  struct Standing {
    double executions = 0;
    double fresh = 0;
    double buggy = 0;
    double steps = 0;
  };
  static constexpr std::uint32_t kDrawn = kPortfolioExhaustive;  // members before it are drawn

  bool probes() const;
  void judge_exhaustive(std::uint64_t index);
  void find_standings(std::uint64_t index, Standing (&standings)[kDrawn]);
  void find_shares(const Standing (&standings)[kDrawn], double (&shares)[kDrawn]) const;
  bool is_exhaustive(std::uint64_t index) const;
  std::uint32_t draw_member(std::uint64_t seed, std::uint64_t index);
  Follower& prepare_member(std::uint32_t member);

  std::uint32_t without_;  // the member that is left out; kPortfolioSize: none
  Learning* learning_ = nullptr;
  std::uint64_t index_ = 0;
  std::uint32_t number_ = 0;
  Follower* follower_;
  Strategy* member_;
  RandomWalkStrategy random_;
  PctStrategy pct_;
  PctwmStrategy pctwm_;
  PosStrategy pos_;
  PlacesStrategy places_;
  LongRunsStrategy long_runs_;
  DelaysStrategy delays_;
  GreyboxStrategy greybox_;
  SurwStrategy surw_;
  ExhaustiveStrategy exhaustive_;
  Profile profile_;
  ChoiceRecord picks_;
};

}  // namespace heddle::strategy
