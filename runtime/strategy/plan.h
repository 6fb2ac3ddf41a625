// Follows a plan (core/trace/plan.h), or a choice log, and writes down which departures were made. Minimising
// is this strategy with shorter and shorter plans.
//
// What is unsurprising. A thread goes on while it can. It makes way for the next one, in the order of their
// numbers, where it yields or sleeps, or where it spins: comes by the same place again while nothing has
// changed that anybody could see; a thread that the plan holds does so wherever it can. All other choices:
// ChoicePoint::fallback.
#pragma once

#include "core/trace/plan.h"
#include "runtime/strategy/replay.h"
#include "runtime/strategy/strategy.h"
#include "runtime/strategy/thread_table.h"

namespace heddle::strategy {

class PlanStrategy final : public Strategy, public Observer {
 public:
  void set_log(std::span<const Choice> log) {
    room_ = log.data();
    log_.set_log(log, true);
  }

  // REQUIRES: there is a campaign; plans come through its memory.
  void attach(Learning* learning) override;
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  Observer* observer() override { return this; }
  void performed(const Operation& operation) override;
  bool prepare_next(std::uint64_t index) override;
  std::uint64_t stands_for(std::uint64_t) const override { return exchange_->execution; }
  bool each_is_awaited() const override { return true; }
  // Of the plan that this process follows; nullptr: none.
  static PlanExchange* exchange() { return current_exchange; }
  bool diverged() const override { return exchange_->follow_log != 0 && log_.diverged(); }

 private:
  static constexpr std::uint32_t kPlaces = 4;
  // A thread spins that has been at the same places so often without a change. Who only looks does so at
  // once; who takes and releases locks in a loop may be at work on plain memory, which is no change that is
  // seen here.
  static constexpr std::uint32_t kSpins = 32, kLook = 16, kLock = 1;
  struct Record {
    std::uint64_t change;  // the latest one when the thread last performed an operation
    std::uint32_t places[kPlaces];
    std::uint32_t repeated;
    std::uint32_t operations;
    std::uint16_t turns[kChoiceKinds + 1];
  };

  bool is_spinning(ThreadId thread);
  bool is_held(ThreadId thread);
  ChoicePlace place_of(const ChoicePoint& point);
  std::uint32_t unsurprising(const ChoicePoint& point);
  std::uint32_t unsurprising_thread(const ChoicePoint& point);
  std::uint32_t planned(const ChoicePoint& point, ChoicePlace place, std::uint32_t otherwise) const;
  DepartureMade departure(const ChoicePoint& point, ChoicePlace place, std::uint32_t picked,
                          std::uint32_t expected) const;
  std::uint32_t drawn(const ChoicePoint& point, std::uint32_t unsurprising);
  void note(const DepartureMade& made);
  void list_others(const ChoicePoint& point, ChoicePlace place, std::uint32_t picked, std::uint32_t expected);

  const View* view_ = nullptr;
  static PlanExchange* current_exchange;  // of the one plan that a process has
  PlanExchange* exchange_ = nullptr;
  ReplayStrategy log_;
  const Choice* room_ = nullptr;  // where the log is
  Random drawn_;
  ThreadTable<Record> threads_;
  // The one place where switches are counted: every preemption is one of them.
  void runs(ThreadId thread) {
    exchange_->switches += thread != running_ ? 1 : 0;
    running_ = thread;
  }

  std::uint32_t choices_ = 0;
  ThreadId running_ = kMainThread;
  // How often a thread that spins was let on. It may be at work on plain memory; somebody is held for so
  // long.
  static constexpr std::uint32_t kLongestHold = 4096;
  std::uint32_t held_for_ = 0;
};

}  // namespace heddle::strategy
