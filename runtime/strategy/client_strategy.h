// Executions of clients that the tool wants to be tried (core/trace/client_exchange.h): with each it says who
// chooses. So one process answers all that localization asks: what a recorded schedule does, what the
// strategy of detection finds, and whether there is any violation at all.
#pragma once

#include "core/trace/strategy_spec.h"
#include "runtime/strategy/exhaustive.h"
#include "runtime/strategy/replay.h"
#include "runtime/strategy/strategy.h"

namespace heddle::strategy {

class ClientStrategy final : public Strategy {
 public:
  // `room`: where the tool writes logs.
  ClientStrategy(Strategy& strategy, const StrategySpec& spec, const Choice* room)
      : strategy_(strategy),
        exhaustive_(spec.is("exhaustive") ? ExhaustiveStrategy(spec) : ExhaustiveStrategy()),
        room_(room) {}

  // REQUIRES: there is a campaign; clients come through its memory.
  void attach(Learning* learning) override;
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  std::uint32_t choose(const ChoicePoint& point) override { return now().choose(point); }
  Observer* observer() override { return now().observer(); }
  void end(ExecutionResult& result) override { now().end(result); }
  void teach(const ExecutionResult& result) override { now().teach(result); }
  std::uint64_t needs(std::uint64_t index) const override { return now().needs(index); }
  bool prepare_next(std::uint64_t index) override;
  std::uint64_t stands_for(std::uint64_t index) const override { return now().stands_for(index); }
  bool repeatable_by_index() const override { return false; }
  bool diverged() const override { return now().diverged(); }
  bool abandoned() const override { return now().abandoned(); }
  Random* uniform() override { return now().uniform(); }

 private:
  // By what the memory says, which does not change while an execution is under way: who says that one is over
  // may be another process than the one that ran it.
  const Strategy& now() const;
  Strategy& now() { return const_cast<Strategy&>(static_cast<const ClientStrategy*>(this)->now()); }

  Strategy& strategy_;
  ReplayStrategy guided_;
  ExhaustiveStrategy exhaustive_;
  const Choice* room_;
  ClientExchange* clients_ = nullptr;
};

}  // namespace heddle::strategy
