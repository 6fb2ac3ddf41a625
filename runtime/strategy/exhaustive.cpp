#include "runtime/strategy/exhaustive.h"

#include "core/base/pages.h"
#include "core/trace/channel.h"
#include "runtime/strategy/independence.h"

namespace heddle::strategy {

ExhaustiveStrategy::ExhaustiveStrategy(const Parameters& parameters)
    : parameters_(parameters), path_(static_cast<Path*>(map_shared_pages(sizeof(Path)))) {}

void ExhaustiveStrategy::attach(Learning* learning) {
  Follower::attach(learning);
  if (learning != nullptr) path_ = static_cast<Path*>(learning->path());
}

bool ExhaustiveStrategy::prepare_next(std::uint64_t) {
  if (!path_->started) {
    path_->started = true;
    return true;
  }
  if (path_->starts_over) {
    path_->starts_over = false;
    path_->depth = path_->prefix = 0;
    return true;
  }
  while (path_->depth > 0) {
    Point& last = path_->points[path_->depth - 1];
    do ++last.tried;
    while (last.tried < last.limit && is_asleep(last, last.tried));
    if (last.tried < last.limit) {
      path_->prefix = path_->depth;
      if (learning_ != nullptr)
        learning_->search().covered.store(static_cast<std::uint64_t>(covered() * 0x1p63),
                                          std::memory_order_relaxed);
      return true;
    }
    --path_->depth;
  }
  if (learning_ != nullptr) {
    learning_->search().bound_hit.store(path_->bound_hit ? 1 : 0, std::memory_order_relaxed);
    learning_->search().exhausted.store(path_->incomplete ? 0 : 1, std::memory_order_relaxed);
  }
  return false;
}

void ExhaustiveStrategy::start_over() {
  path_->depth = path_->prefix = 0;
  path_->started = path_->incomplete = path_->bound_hit = path_->abandoned = false;
  path_->has_scopes = path_->starts_over = false;
  if (learning_ == nullptr) return;
  learning_->search().covered.store(0, std::memory_order_relaxed);
  learning_->search().bound_hit.store(0, std::memory_order_relaxed);
  learning_->search().exhausted.store(0, std::memory_order_relaxed);
}

double ExhaustiveStrategy::covered() const {
  double share = 0;
  double part = 1;
  for (std::uint32_t i = 0; i < path_->depth && part > 1e-18; ++i) {
    const Point& point = path_->points[i];
    part /= point.limit;
    share += part * point.tried;
  }
  return share;
}

void ExhaustiveStrategy::start() {
  at_ = 0;
  asleep_ = inside_ = beginning_ = buffers_ = 0;
  is_weak_ = false;
  for (std::uint32_t& location : loaded_) location = 0;
  step_ = nullptr;
  preemptions_ = stale_ = 0;
  diverged_ = path_->abandoned = false;
  path_->depth = 0;
}

// The alternative to begin with. Who waits in a loop, or yields, is better followed by somebody else.
std::uint32_t ExhaustiveStrategy::first_of(const ChoicePoint& point) {
  if (point.kind != ChoiceKind::kThread || !point.thread_can_continue) return point.fallback;
  const bool waits =
      is_spinning(point.thread) || view_->next_operation(point.thread).kind == EventKind::kYield;
  return waits ? (point.fallback + 1) % point.count : point.fallback;
}

void ExhaustiveStrategy::find_sleepers(Point& here, const ChoicePoint& point, std::uint32_t first) const {
  for (std::uint32_t turn = 0; turn < point.count && turn < 64; ++turn) {
    if (sleeps(point.threads[(first + turn) % point.count])) here.asleep |= 1ull << turn;
  }
}

void ExhaustiveStrategy::apply_bounds(Point& here, const ChoicePoint& point, std::uint32_t first) {
  const bool preempts =
      point.kind == ChoiceKind::kThread && point.thread_can_continue && first == point.fallback;
  const bool bounded = (preempts && preemptions_ >= parameters_.preemptions) ||
                       (point.kind == ChoiceKind::kReadsFrom && stale_ >= parameters_.stale);
  if (!bounded) return;
  here.limit = 1;
  path_->bound_hit = true;
}

// What the pick means for the rest of the execution.
void ExhaustiveStrategy::note_pick(const Point& here, const ChoicePoint& point, std::uint32_t first) {
  if (point.kind == ChoiceKind::kReadsFrom && (first + here.tried) % point.count != point.fallback) ++stale_;
  if (point.kind != ChoiceKind::kThread) return;
  if (point.thread_can_continue && first == point.fallback && here.tried != 0) ++preemptions_;
  if (!reduces()) return;
  for (std::uint32_t turn = 0; turn < here.tried && turn < 64; ++turn) {
    const ThreadId explored = point.threads[(first + turn) % point.count];
    if (index_of(explored) < 64 && (here.scopes >> turn & 1) == 0) asleep_ |= 1ull << index_of(explored);
  }
  wake_for_history(point.threads[(first + here.tried) % point.count]);
}

// The thread takes a step. Its operation's time begins with the turn, even if it has to wait then; whether it
// ends with this step is not known yet.
void ExhaustiveStrategy::wake_for_history(ThreadId thread) {
  const std::uint64_t own = bit_of(thread);
  if ((beginning_ & own) != 0 || own == 0) asleep_ &= ~(inside_ & ~own);
  if ((inside_ & own) != 0 || own == 0) asleep_ &= ~(beginning_ & ~own);
}

void ExhaustiveStrategy::operation_called(ThreadId thread, std::uint32_t) {
  inside_ |= bit_of(thread);
  beginning_ |= bit_of(thread);
}

void ExhaustiveStrategy::operation_returned(ThreadId thread) {
  inside_ &= ~bit_of(thread);
  beginning_ &= ~bit_of(thread);
}

std::uint32_t ExhaustiveStrategy::choose(const ChoicePoint& point) {
  if (at_ == kMostDepth) {
    path_->incomplete = true;
    return point.fallback;
  }
  if (point.kind == ChoiceKind::kThread) step_ = nullptr;
  if (point.kind == ChoiceKind::kThread && reduces() && !path_->has_scopes) {
    // What commutes with everything need not be tried at any other time.
    for (std::uint32_t i = 0; i < point.count; ++i) {
      if (is_local(view_->next_operation(point.threads[i]).kind) && (inside_ & bit_of(point.threads[i])) == 0)
        return i;
    }
  }
  const std::uint32_t first = first_of(point);
  Point& here = path_->points[at_++];
  if (at_ > path_->prefix) {
    here = {0, point.count, point.count, point.alternatives_hash, 0, 0};
    if (point.kind == ChoiceKind::kThread && reduces()) find_sleepers(here, point, first);
    apply_bounds(here, point, first);
    while (here.tried < here.limit && is_asleep(here, here.tried)) ++here.tried;
    if (here.tried == here.limit) {
      --at_;
      path_->abandoned = true;
      return point.fallback;
    }
  } else if (here.count != point.count || here.alternatives_hash != point.alternatives_hash) {
    // Equal choices led elsewhere: the program is not a function of them, and nothing below is known.
    diverged_ = path_->incomplete = true;
    return point.fallback;
  }
  path_->depth = at_;
  if (point.kind == ChoiceKind::kThread) step_ = &here;
  note_pick(here, point, first);
  return (first + here.tried) % point.count;
}

// Load buffering takes two threads that each load, then store elsewhere, and a load that does not acquire or a store
// that does not release.
void ExhaustiveStrategy::watch_load_buffering(const Operation& operation) {
  if (!operation.reads && !operation.writes) return;
  if (index_of(operation.thread) >= 64 || learning_ == nullptr) return;
  const std::uint32_t location = operation.location.number;
  std::uint32_t& loaded = loaded_[index_of(operation.thread)];
  if (operation.writes && loaded != 0 && loaded != location) buffers_ |= bit_of(operation.thread);
  if (operation.reads) loaded = loaded == 0 || loaded == location ? location : kSeveral;
  is_weak_ = is_weak_ || (operation.reads && !is_acquire(operation.order)) ||
             (operation.writes && !is_release(operation.order));
  if (is_weak_ && (buffers_ & (buffers_ - 1)) != 0)
    learning_->search().buffers_loads.store(1, std::memory_order_relaxed);
}

void ExhaustiveStrategy::after(const Operation& operation) {
  watch_load_buffering(operation);
  if (inside_ != 0) {
    wake_for_history(operation.thread);
    beginning_ &= ~bit_of(operation.thread);
  }
  if (operation.in_scope) {
    if (step_ != nullptr && step_->tried < 64) step_->scopes |= 1ull << step_->tried;
    path_->starts_over = path_->starts_over || !path_->has_scopes;
    path_->has_scopes = true;
    asleep_ = 0;
    return;
  }
  if (asleep_ == 0) return;
  if (sleeps(operation.thread)) {
    // Nobody else could run: all that follows has been seen.
    path_->abandoned = true;
    return;
  }
  const NextOperation performed{operation.kind, operation.order, operation.location.size, operation.address,
                                operation.pc};
  for (std::uint64_t left = asleep_; left != 0; left &= left - 1) {
    const auto thread = static_cast<std::uint16_t>(__builtin_ctzll(left));
    if (!commute(view_->next_operation(ThreadId{thread}), performed)) asleep_ &= ~(1ull << thread);
  }
}

void ExhaustiveStrategy::teach(const ExecutionResult& result) {
  Follower::teach(result);
  if (learning_ == nullptr) return;
  // What was not run to its end may have had more choices, and what others do may be something else next
  // time.
  const bool is_whole = result.ending == Ending::kExited || result.ending == Ending::kFinding ||
                        result.ending == Ending::kRedundant;
  const std::uint32_t lacks =
      result_flags::kNotRepeatable | result_flags::kPruned | result_flags::kPlacesRefused;
  if (!is_whole || (result.flags & lacks) != 0) path_->incomplete = true;
  (path_->abandoned ? learning_->search().redundant : learning_->search().complete)
      .fetch_add(1, std::memory_order_relaxed);
}

}  // namespace heddle::strategy
