// Threads run one after the other, each until it ends or waits, and one of them (or two) steps back once
// behind all others: delay-bounded scheduling (Emmi, Qadeer, Rakamarić: Delay-Bounded Scheduling, POPL 2011),
// with two additions that make it fit weak memory and few executions.
//
// Where a thread steps back. Not at any operation, of which there may be many, but where it matters what
// others do meanwhile: when it has just taken something (an update, a lock), or comes to a place that it has
// not accessed before.
//
// What loads read. Bugs of weak memory are a new value seen together with an old one. So the locations that
// are loaded take turns in the order in which they are come to: of one an old store is read, of the next the
// newest. A location that is updated is one by which threads claim something: its newest store is read. Once
// a thread has read an old store of a location, each later read of it is new with a probability of 1/2, so
// that loops end.
//
// The first executions of a campaign go through a fixed list of such plans; later ones draw them.
#pragma once

#include "runtime/strategy/follower.h"

namespace heddle::strategy {

struct DelayPlan {
  enum class Order : std::uint8_t { kCreation, kReversed, kRandom } order;
  enum class At : std::uint8_t { kTaken, kNewPlace } at;
  std::uint8_t nth;     // at which of these places of a thread, from 1; 0: nobody steps back
  std::uint8_t delays;  // how many threads do
  bool old_first;       // the first location's loads read old stores, not the second's
  bool oldest;          // old: the earliest store, or one between that and the newest
};

class DelaysStrategy final : public Follower {
 public:
  std::uint32_t choose(const ChoicePoint& point) override;

 protected:
  void start() override;
  bool meet(ThreadId thread, const NextOperation& next) override;
  void after(const Operation& operation) override;

 private:
  static constexpr std::uint32_t kFirstEvents = 256;  // of an execution, until that is known
  static constexpr std::uint32_t kLocations = 512;    // beyond this many, some share what is known of them
  static constexpr std::uint32_t kSeen = 4096;

  struct State {
    std::int64_t position;  // the higher, the earlier; 0: not known yet
    std::uint32_t changes;  // that it made itself
    std::uint32_t waits_since;
    std::uint32_t points;
    bool waits;
    bool took;
  };
  enum class Reads : std::uint8_t { kUnknown, kOld, kNew };

  DelayPlan draw_plan();
  std::uint32_t choose_thread(const ChoicePoint& point);
  std::uint32_t choose_store(const ChoicePoint& point);
  std::uint32_t first_in_order(const ChoicePoint& point, bool also_waiting);
  std::int64_t position_of(ThreadId thread);
  bool is_waiting(ThreadId thread);
  void wait_for_change(ThreadId thread);
  void step_back(ThreadId thread) { states_[thread].position = --last_position_; }
  bool is_first_time(std::uint64_t what, ThreadId thread);

  DelayPlan plan_{};
  std::uint32_t delays_left_ = 0;
  std::uint32_t period_ = 0;
  std::uint32_t changes_ = 0;
  std::int64_t last_position_ = 0;
  bool next_is_old_ = false;
  ThreadTable<State> states_;
  Reads reads_[kLocations] = {};
  std::uint64_t seen_[kSeen / 64] = {};
};

}  // namespace heddle::strategy
