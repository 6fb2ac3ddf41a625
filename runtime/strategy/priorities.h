// Scheduling by priority, as PCT and its descendants do (thesis, Alg. 1): the thread with the highest
// priority runs until it cannot, or until one of a few change points lowers it. New threads get a random
// place above all change points.
//
// A thread that waits in a loop for another one would run for ever. Two things end that: the papers'
// heuristic (thesis, 6.3.3: at multiples of k a random thread runs), and, since k may be large, a thread that
// reads the same stores at the same places again and again goes behind all others.
#pragma once

#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class PriorityStrategy : public Follower {
 public:
  std::uint32_t choose(const ChoicePoint& point) override;

 protected:
  ~PriorityStrategy() = default;

  static constexpr std::uint32_t kMostPoints = 64;

  void start() override;
  // The d that the execution has, and the events among which change points are drawn.
  void draw_points(std::uint32_t count, std::uint32_t among) { draw_points(count, among, random_); }
  // Draws the points once for all executions.
  void draw_points_once(std::uint32_t count, std::uint32_t among) {
    Random random(mix(seed_, 0x6f6e6365));
    draw_points(count, among, random);
  }
  // Draws points where the events are more now than they were: those after `from`, and of these the ones up
  // to `before` were known. Each point stays uniform among all of them.
  void spread_points(std::uint32_t count, std::uint32_t from, std::uint32_t before, std::uint32_t now);
  // Threads and points are drawn anew from here on.
  void forget_points();
  // At event number `event`: its thread goes behind, if it is one of the points. The first of the tuple is to
  // run before the second, whatever their numbers.
  bool change_at(std::uint32_t event, ThreadId thread);
  // Events between two looks whether a thread runs for ever; 0: none.
  void set_period(std::uint32_t events) { period_ = events; }
  bool is_period(std::uint32_t event) const {
    return period_ != 0 && event > period_ && event % period_ == 0;
  }
  void ask_for_random_thread() { random_thread_ = true; }

  virtual std::uint32_t choose_store(const ChoicePoint& point) { return below(point.count); }
  // The thread is run out of turn, so that somebody else may go on.
  virtual void on_forced(ThreadId) {}

 private:
  void draw_points(std::uint32_t count, std::uint32_t among, Random& random);
  std::uint32_t choose_thread(const ChoicePoint& point);
  std::uint32_t highest(const ChoicePoint& point);

  std::uint32_t points_[kMostPoints] = {};
  std::uint32_t point_count_ = 0;
  std::uint32_t period_ = 0;
  bool random_thread_ = false;
  std::int64_t lowest_ = 0;
  ThreadTable<std::int64_t> priorities_;  // 0: not drawn yet
};

}  // namespace heddle::strategy
