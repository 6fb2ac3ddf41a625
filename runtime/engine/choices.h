// Choices: everything that an execution leaves open is decided here: by drawing, by asking the strategy, or by
// the fallback in fair mode. Every decision goes into the choice log.
//
// Owns: the log, what the strategy has said about itself, the stores on offer, and how many failures for no
// reason and timeouts before their time are left.
// Invariants:
//   - a uniform strategy is not called: draws are made with its generator, in the same way whether or not
//     anybody looks on, so that what was found repeats when it is recorded;
//   - a choice is logged with a hash over all alternatives, and named by its meaning;
//   - in fair mode nothing is drawn or asked for.
// The hot functions take the siblings that they need as arguments. The mediator implements ChoiceHost.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/ids.h"
#include "core/base/random.h"
#include "core/trace/channel.h"
#include "runtime/engine/choice_log.h"
#include "runtime/engine/fairness.h"
#include "runtime/memory/memory_model.h"
#include "runtime/sched/scheduler.h"
#include "runtime/strategy/strategy.h"

namespace heddle::engine {

class ChoiceHost {
 public:
  // Called once, before the first choice of all. Returns in every process that is to run an execution on.
  virtual void at_first_choice() = 0;
  // The strategy ends the execution.
  [[noreturn]] virtual void break_off(Ending ending) = 0;

 protected:
  ~ChoiceHost() = default;
};

class Choices {
 public:
  struct Limits {
    std::uint32_t spurious = 0;  // failures for no reason, in one execution
    std::uint32_t timeouts = 0;  // that come before their time
    bool bursts = false;         // loads may read older stores
  };
  static constexpr std::uint32_t kMostCandidates = 512;  // offered to the strategy; the newest ones

  Choices(sched::Scheduler& scheduler, memory::MemoryModel& memory, const Fairness& fairness,
          ChoiceHost& host)
      : scheduler_(scheduler), memory_(memory), fairness_(fairness), host_(host) {}

  void start(Channel channel, strategy::Strategy* strategy, const Limits& limits);
  // Fresh choices from here on.
  void begin(std::uint64_t seed, std::uint64_t index, const strategy::View& view);
  bool has_begun() const { return begun_; }
  void begin_if_not() {
    if (!begun_) host_.at_first_choice();
  }
  void end(ExecutionResult& result) {
    if (begun_) strategy_->end(result);
  }

  ChoiceLog& log() { return log_; }
  std::uint32_t count() const { return log_.count(); }
  // Who looks on; nullptr: nobody.
  strategy::Observer* observer() const { return observer_; }
  void forget_observer() { observer_ = nullptr; }
  bool is_uniform() const { return uniform_ != nullptr; }
  // `plain`: there is nothing to be done about turns but to draw them.
  void set_pace(bool plain) { draws_ = uniform_ != nullptr && plain; }
  bool draws() const { return draws_; }
  // The strategy may have seen enough.
  void check_abandoned() {
    if (may_break_off_ && strategy_->abandoned()) host_.break_off(Ending::kRedundant);
  }

  // --- one alternative of several.
  // Picks one; counts only where there is something to pick.
  std::uint32_t choose(ChoiceKind kind, std::uint32_t count, std::uint32_t fallback,
                       const ChoiceKey* keys = nullptr);
  std::uint32_t pick(strategy::ChoicePoint& point);
  static std::uint32_t hash_alternatives(const strategy::ChoicePoint& point);
  // May one more failure for no reason happen, and does it?
  bool spurious_failure();
  bool may_fail_spuriously() const { return spurious_left_ != 0 && !fairness_.is_fair(); }
  bool expires_early(std::uint64_t deadline);

  // --- whose turn it is.
  static std::uint32_t thread_hash(const sched::Scheduler& scheduler, bool can_continue) {
    return scheduler.runnable_hash() + 0x9e3779b9u * index_of(scheduler.current()) + (can_continue ? 1u : 0u);
  }
  [[gnu::always_inline]] void log_thread(const sched::Scheduler& scheduler, ThreadId picked,
                                         bool can_continue) {
    log_.add([&]() __attribute__((always_inline)) {
      return Choice::make(ChoiceKind::kThread, thread_hash(scheduler, can_continue),
                          ChoiceKey::thread(picked));
    });
  }
  // C11Tester §3: consecutive relaxed or release stores of a thread are executed without interruption. Where
  // loads may read older stores that takes no behaviour away, and leaves them more stores to choose from.
  [[gnu::always_inline]] bool continues_burst(sched::Thread& t) const {
    const bool stores =
        t.pending.kind == EventKind::kAtomicStore && bursts_ &&
        (t.pending.order == MemoryOrder::kRelaxed || t.pending.order == MemoryOrder::kRelease);
    const bool continues = stores && t.stores_in_burst;
    t.stores_in_burst = stores;
    return continues;
  }
  // Under a uniform strategy: for a thread that can go on, and for one that cannot.
  [[gnu::always_inline]] ThreadId draw_thread(sched::Scheduler& scheduler) {
    const ThreadId picked =
        continues_burst(scheduler.self()) ? scheduler.current() : draw_runnable(scheduler);
    log_thread(scheduler, picked, true);
    return picked;
  }
  ThreadId draw_other_thread(const sched::Scheduler& scheduler, bool can_continue) {
    if (scheduler.runnable().size() == 1) return scheduler.runnable()[0];
    const ThreadId picked = draw_runnable(scheduler);
    log_thread(scheduler, picked, can_continue);
    return picked;
  }

  // --- which store is read.
  // The store that a load or update reads. kShort: it is drawn, and few stores are on offer.
  template <bool kShort = false>
  [[gnu::always_inline]] memory::Sequence choose_store(const memory::MemoryModel& memory,
                                                       const memory::Reading& reading) {
    if (reading.count == 1) return memory.only_store(reading);
    return kShort ? draw_store<true>(memory, reading) : choose_store_slowly(reading);
  }
  // Success and failure for no reason of a weak exchange read the same store: first the store is chosen, then
  // which of the two.
  std::uint32_t choose_cas_store(std::span<const memory::Candidate> candidates);

  // Which of `count` places in S, that the memory model knows of, the seq_cst operation at hand takes: the end with
  // probability 1/2 where it is drawn. Who follows an operation that has moved moves on: then the earliest.
  void choose_overtaking(std::uint32_t count);

  // --- what strategies ask about the stores on offer (strategy::View).
  std::uint32_t latest_stores(std::uint32_t* alternatives, std::uint32_t most) const;
  std::uint32_t nearest_store(ChoiceKey store) const;

 private:
  [[gnu::always_inline]] ThreadId draw_runnable(const sched::Scheduler& scheduler) {
    const auto runnable = scheduler.runnable();
    return runnable[uniform_->below(static_cast<std::uint32_t>(runnable.size()))];
  }
  // The model's digest stands for the keys of all candidates: it is a function of what has led here.
  static std::uint32_t store_hash(std::uint32_t digest, ThreadId thread) {
    return digest + 0x9e3779b9u * index_of(thread);
  }
  // Draws the store that a load reads, in one way whether or not anybody looks on.
  template <bool kShort>
  [[gnu::always_inline]] memory::Sequence draw_store(const memory::MemoryModel& memory,
                                                     const memory::Reading& reading) {
    const bool is_most = !kShort && reading.count > kMostCandidates;
    const memory::Sequence picked =
        memory.store_at(reading, uniform_->below(is_most ? kMostCandidates : reading.count));
    log_.add([&]() __attribute__((always_inline)) {
      const memory::Store& store = reading.location->store(picked);
      return Choice::make(ChoiceKind::kReadsFrom, store_hash(memory.digest(reading), reading.thread),
                          ChoiceKey::store(store.writer, store.ordinal));
    });
    return picked;
  }
  std::uint32_t draw_or_ask(ChoiceKind kind, const ChoiceKey* keys, std::uint32_t count);
  memory::Sequence choose_store_slowly(const memory::Reading& reading);
  std::uint32_t choose_store_of(std::span<const memory::Candidate> candidates, const std::uint32_t* indices,
                                std::uint32_t count, std::uint32_t fallback, std::uint32_t hash);
  const memory::Candidate& offered(std::uint32_t alternative) const {
    return offered_.candidates[offered_.indices != nullptr ? offered_.indices[alternative] : alternative];
  }

  ChoiceLog log_;
  Random* uniform_ = nullptr;  // the strategy's generator, if it draws uniformly
  strategy::Observer* observer_ = nullptr;
  bool draws_ = false;   // whose turn it is, is drawn, and there is nothing else to do about it
  bool bursts_ = false;  // loads may read older stores
  bool begun_ = false;   // the first choice has been reached
  bool may_break_off_ = true;
  std::uint32_t spurious_left_ = 0;
  std::uint32_t timeouts_left_ = 0;
  // The stores among which the strategy is choosing: all candidates, or those that `indices` lists.
  struct Offered {
    const memory::Candidate* candidates = nullptr;
    const std::uint32_t* indices = nullptr;
    std::uint32_t count = 0;
  } offered_;
  strategy::Strategy* strategy_ = nullptr;
  ChannelHeader* header_ = nullptr;
  sched::Scheduler& scheduler_;
  memory::MemoryModel& memory_;
  const Fairness& fairness_;
  ChoiceHost& host_;
};

}  // namespace heddle::engine
