// Every execution once: depth-first search over the choice log. An execution follows the path of picks that
// the last one left, changed at its last choice that still has an alternative, and takes the unsurprising one
// from there on; so the first execution is the plain one, and the last the strangest.
//
// Executions that differ only in the order of operations that commute (independence.h) are explored once, by
// sleep sets (Godefroid 1996): where a choice of threads has been followed by all that one thread's operation
// leads to, that thread sleeps in what follows the other alternatives, until an operation is performed that
// does not commute with its own. An execution in which only sleepers can run has been seen, and is broken
// off.
//
// Where a test of an object records its operations (<heddle/lin.hpp>), which of them had returned before
// others were called is seen, too: the step that begins an operation does not commute with a step of another
// thread that may end one.
//
// In a scope that is not explored a thread performs several operations in one step. Such a step is taken to
// commute with nothing; that there are any is noticed in the first execution, and the search starts over.
//
// Bounds: on preemptions and on stale reads. Which of two executions that are otherwise the same keeps to a
// bound depends on the order of their operations, so with a bound there is no reduction.
//
// The path lies in memory shared with the executions, which are processes of their own, and with all workers.
// Each execution is derived from the one before it, so they run one after the other.
#pragma once

#include "core/trace/strategy_spec.h"
#include "runtime/strategy/follower.h"

namespace heddle::strategy {

class ExhaustiveStrategy final : public Follower {
 public:
  // Choices deeper than this are not varied; the search then does not claim to be complete.
  static constexpr std::uint32_t kMostDepth = 1u << 20;
  static constexpr std::uint32_t kNoBound = ~0u;

  struct Parameters {
    std::uint32_t preemptions = kNoBound;
    std::uint32_t stale = kNoBound;
    bool reduce = true;
  };
  explicit ExhaustiveStrategy(const Parameters& parameters = {kNoBound, kNoBound, true});
  explicit ExhaustiveStrategy(const StrategySpec& spec)
      : ExhaustiveStrategy(Parameters{spec.value("preemptions", kNoBound), spec.value("stale", kNoBound),
                                      spec.value("reduce", 1) != 0}) {}

  void attach(Learning* learning) override;
  std::uint32_t choose(const ChoicePoint& point) override;
  bool prepare_next(std::uint64_t index = 0) override;
  bool explored_all() const override { return !path_->incomplete && !path_->bound_hit; }
  bool repeatable_by_index() const override { return false; }
  std::uint64_t needs(std::uint64_t index) const override { return index; }
  bool may_break_off() const override { return true; }
  bool diverged() const override { return diverged_; }
  bool abandoned() const override { return path_->abandoned; }
  void teach(const ExecutionResult& result) override;
  void operation_called(ThreadId thread, std::uint32_t) override;
  void operation_returned(ThreadId thread) override;

  // Forgets what was explored: the program does something else from here on.
  void start_over();

  // The share of the tree that is behind, from the path alone: each alternative of a choice is taken for an
  // equal part of what is below it (Kilby et al. 2006, weighted backtrack estimator).
  double covered() const;

 protected:
  void start() override;
  void after(const Operation& operation) override;

 private:
  // Alternatives are tried in turn from the first on.
  struct Point {
    std::uint32_t tried;  // 0: the first itself
    std::uint32_t limit;  // alternatives to try
    std::uint32_t count;
    std::uint32_t alternatives_hash;
    std::uint64_t asleep;  // of the first 64, by their turn
    std::uint64_t scopes;  // likewise: the step was followed by others without a choice
  };
  struct Path {
    std::uint32_t depth;   // points that the last execution came by
    std::uint32_t prefix;  // of these, those that the next one is to repeat
    bool started;
    bool incomplete;  // something was not varied, or the program does not repeat itself
    bool bound_hit;
    bool abandoned;  // the execution under way, or the last one
    bool has_scopes;
    bool starts_over;
    Point points[kMostDepth];
  };
  static_assert(sizeof(Path) <= Learning::kPathBytes);

  static bool is_asleep(const Point& point, std::uint32_t turn) {
    return turn < 64 && (point.asleep >> turn & 1) != 0;
  }
  bool sleeps(ThreadId thread) const {
    return index_of(thread) < 64 && (asleep_ >> index_of(thread) & 1) != 0;
  }
  void find_sleepers(Point& here, const ChoicePoint& point, std::uint32_t first) const;
  void apply_bounds(Point& here, const ChoicePoint& point, std::uint32_t first);
  void note_pick(const Point& here, const ChoicePoint& point, std::uint32_t first);
  void wake_for_history(ThreadId thread);
  void watch_load_buffering(const Operation& operation);
  static std::uint64_t bit_of(ThreadId thread) {
    return index_of(thread) < 64 ? 1ull << index_of(thread) : 0;
  }
  std::uint32_t first_of(const ChoicePoint& point);
  bool reduces() const {
    return parameters_.reduce && parameters_.preemptions == kNoBound && parameters_.stale == kNoBound;
  }

  Parameters parameters_;
  Path* path_;
  std::uint32_t at_ = 0;
  Point* step_ = nullptr;     // the choice that the step under way was picked at
  std::uint64_t asleep_ = 0;  // threads below 64
  // Sets of threads below 64: those inside a recorded operation, and of these those that have yet to take its
  // first step.
  std::uint64_t inside_ = 0;
  std::uint64_t beginning_ = 0;
  // What load buffering takes: the location that a thread has loaded, threads that stored elsewhere then.
  static constexpr std::uint32_t kSeveral = 0xffffffff;
  std::uint32_t loaded_[64] = {};
  std::uint64_t buffers_ = 0;
  bool is_weak_ = false;
  std::uint32_t preemptions_ = 0;
  std::uint32_t stale_ = 0;
  bool diverged_ = false;
};

}  // namespace heddle::strategy
