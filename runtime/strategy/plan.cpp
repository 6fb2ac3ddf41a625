#include "runtime/strategy/plan.h"

#include <linux/futex.h>

#include "core/base/check.h"
#include "core/base/raw_syscall.h"
#include "core/trace/event_kinds.h"

namespace heddle::strategy {

static_assert(sizeof(PlanExchange) <= Learning::kPathBytes);

PlanExchange* PlanStrategy::current_exchange = nullptr;

void PlanStrategy::attach(Learning* learning) {
  HEDDLE_CHECK(learning != nullptr);
  exchange_ = current_exchange = static_cast<PlanExchange*>(learning->path());
}

bool PlanStrategy::prepare_next(std::uint64_t index) {
  // The next plan comes as soon as the tool has read what became of the last one.
  constexpr std::uint32_t kImpatientLooks = 2000;
  for (std::uint32_t looks = 0; exchange_->closed.load(std::memory_order_acquire) == 0; ++looks) {
    const std::uint32_t given = exchange_->given.load(std::memory_order_acquire);
    if (given > index) return true;
    if (looks < kImpatientLooks) {
      __builtin_ia32_pause();
    } else {
      raw_syscall(SYS_futex, &exchange_->given, FUTEX_WAIT, given, 0, 0, 0);
    }
  }
  return false;
}

void PlanStrategy::begin(std::uint64_t seed, std::uint64_t index, const View& view) {
  view_ = &view;
  log_.begin(seed, index, view);
  threads_.clear();
  choices_ = held_for_ = 0;
  drawn_ = Random(exchange_->drawn_seed);
  exchange_->overflow = exchange_->other_count = exchange_->switches = 0;
  running_ = kMainThread;
  exchange_->made_count.store(0, std::memory_order_relaxed);
}

void PlanStrategy::performed(const Operation& operation) {
  runs(operation.thread);
  Record& record = threads_[operation.thread];
  ++record.operations;
  for (std::uint16_t& turn : record.turns) turn = 0;
  const std::uint64_t change = view_->latest_change();
  if (record.change != change) {
    record.change = change;
    record.repeated = 0;
    for (std::uint32_t& place : record.places) place = 0;
  }
  // It waits by itself where there is something to wait for: a call that finds it done is no look at it.
  if (operation.kind == EventKind::kOnce) return;
  const std::uint64_t hash = mix(operation.pc, operation.address);
  std::uint32_t& place = record.places[hash >> 62];
  const bool uses_lock = takes_lock(operation.kind) || gives_lock_back(operation.kind);
  if (place == static_cast<std::uint32_t>(hash)) record.repeated += uses_lock ? kLock : kLook;
  place = static_cast<std::uint32_t>(hash);
}

bool PlanStrategy::is_spinning(ThreadId thread) {
  const Record& record = threads_[thread];
  return record.repeated >= kSpins && record.change == view_->latest_change();
}

bool PlanStrategy::is_held(ThreadId thread) {
  return exchange_->holds != 0 && thread == exchange_->hold.thread &&
         threads_[thread].operations >= exchange_->hold.operations;
}

ChoicePlace PlanStrategy::place_of(const ChoicePoint& point) {
  Record& record = threads_[point.thread];
  const std::uint32_t slot = point.kind == ChoiceKind::kThread && !point.thread_can_continue
                                 ? ChoicePlace::kForced
                                 : static_cast<std::uint32_t>(point.kind);
  return ChoicePlace::make(point.thread, record.operations, slot, record.turns[slot]++);
}

std::uint32_t PlanStrategy::unsurprising_thread(const ChoicePoint& point) {
  if (point.thread_can_continue && !is_spinning(point.thread) && !is_held(point.thread)) {
    const EventKind next = view_->next_operation(point.thread).kind;
    if (next != EventKind::kYield && next != EventKind::kSleep) return point.fallback;
  }
  // The next thread after this one, around the circle; those that spin come after them, then this one, and
  // the held one last, but for when those that spin have waited long: it may be for what that one has to do.
  const std::uint32_t from = index_of(point.thread) + 1;
  std::uint32_t best = 0;
  std::uint32_t best_rank = ~0u;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    const ThreadId thread = point.threads[i];
    std::uint32_t rank = (index_of(thread) + kMaxThreads - from) % kMaxThreads;
    if (is_held(thread)) {
      rank += held_for_ < kLongestHold ? 3 * kMaxThreads : 0;
    } else if (thread == point.thread) {
      rank += 2 * kMaxThreads;
    } else if (is_spinning(thread)) {
      rank += kMaxThreads;
    }
    if (rank < best_rank) {
      best = i;
      best_rank = rank;
    }
  }
  return best;
}

std::uint32_t PlanStrategy::unsurprising(const ChoicePoint& point) {
  return point.kind == ChoiceKind::kThread ? unsurprising_thread(point) : point.fallback;
}

std::uint32_t PlanStrategy::planned(const ChoicePoint& point, ChoicePlace place,
                                    std::uint32_t otherwise) const {
  std::uint32_t low = 0;
  std::uint32_t high = exchange_->count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    (exchange_->plan[middle].place < place) ? low = middle + 1 : high = middle;
  }
  if (low >= exchange_->count || exchange_->plan[low].place != place) return otherwise;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    if (point.key(i) == exchange_->plan[low].pick) return i;
  }
  return otherwise;
}

DepartureMade PlanStrategy::departure(const ChoicePoint& point, ChoicePlace place, std::uint32_t picked,
                                      std::uint32_t expected) const {
  DepartureMade made;
  made.departure = {place, point.key(picked)};
  made.choice = choices_;
  made.event = index_of(view_->next_event());
  made.preempts = point.kind == ChoiceKind::kThread && point.thread_can_continue &&
                  point.threads[expected] == point.thread;
  return made;
}

void PlanStrategy::note(const DepartureMade& made) {
  const std::uint32_t at = exchange_->made_count.load(std::memory_order_relaxed);
  if (at == PlanExchange::kMost) {
    exchange_->overflow = 1;
    return;
  }
  exchange_->made[at] = made;
  exchange_->made_count.store(at + 1, std::memory_order_relaxed);
}

void PlanStrategy::list_others(const ChoicePoint& point, ChoicePlace place, std::uint32_t picked,
                               std::uint32_t expected) {
  for (std::uint32_t i = 0; i < point.count && exchange_->other_count < PlanExchange::kMost; ++i) {
    if (i != picked && i != expected)
      exchange_->others[exchange_->other_count++] = departure(point, place, i, expected);
  }
}

std::uint32_t PlanStrategy::choose(const ChoicePoint& point) {
  const bool of_threads = point.kind == ChoiceKind::kThread;
  if (of_threads && point.thread_can_continue) runs(point.thread);
  const ChoicePlace place = place_of(point);
  const std::uint32_t expected = unsurprising(point);
  const bool is_drawn = exchange_->drawn_from != 0 && choices_ + 1 >= exchange_->drawn_from;
  // What happens for no reason is not drawn: a wait would end so every second time.
  const bool is_spurious = point.kind == ChoiceKind::kSpurious;
  const std::uint32_t picked = is_drawn ? is_spurious ? expected : drawn_.below(point.count)
                               : exchange_->follow_log != 0 ? log_.choose(point)
                                                            : planned(point, place, expected);
  if (picked != expected) note(departure(point, place, picked, expected));
  if (exchange_->list_others != 0) list_others(point, place, picked, expected);
  // Who is let on although it spins may look around once more.
  if (of_threads) runs(point.threads[picked]);
  if (of_threads && is_spinning(point.threads[picked])) {
    threads_[point.threads[picked]].repeated = 0;
    ++held_for_;
  }
  ++choices_;
  return picked;
}

}  // namespace heddle::strategy
