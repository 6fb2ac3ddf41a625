#include "runtime/strategy/delays.h"

namespace heddle::strategy {
namespace {

using Order = DelayPlan::Order;
using At = DelayPlan::At;

// What differs most from each other first: somebody holds what he has just taken while all others run; one
// who has looked at one thing comes late to the next, and sees something in between; nobody is delayed. The
// second has most to draw, and comes every other time; the rest vary the order of threads, of old and new,
// and the place.
constexpr DelayPlan kLate = {Order::kReversed, At::kNewPlace, 2, 1, true, false};
constexpr DelayPlan kFirstPlans[] = {
    {Order::kCreation, At::kTaken, 1, 1, true, true},     kLate,  //
    {Order::kCreation, At::kTaken, 0, 0, false, true},    kLate,  //
    {Order::kReversed, At::kTaken, 1, 1, false, true},    kLate,  //
    {Order::kCreation, At::kNewPlace, 2, 1, true, false}, kLate,  //
    {Order::kReversed, At::kNewPlace, 3, 1, false, true}, kLate,  //
    {Order::kCreation, At::kTaken, 2, 2, false, false},
};

constexpr std::int64_t kBeforeAllDelayed = std::int64_t{1} << 40;

}  // namespace

void DelaysStrategy::start() {
  plan_ = index_ < sizeof kFirstPlans / sizeof kFirstPlans[0] ? kFirstPlans[index_] : draw_plan();
  delays_left_ = plan_.delays;
  const std::uint32_t events = learned_events();
  period_ = events != 0 ? events : kFirstEvents;
  changes_ = 0;
  last_position_ = kBeforeAllDelayed;
  next_is_old_ = plan_.old_first;
  states_.clear();
  for (Reads& reads : reads_) reads = Reads::kUnknown;
  for (std::uint64_t& word : seen_) word = 0;
}

DelayPlan DelaysStrategy::draw_plan() {
  // Early points are likely, and none is impossible.
  std::uint32_t nth = 1;
  while (nth < 200 && below(2) == 0) ++nth;
  const At at = below(2) == 0 ? At::kTaken : At::kNewPlace;
  // To step back at the first place is but another order.
  if (at == At::kNewPlace) ++nth;
  return {static_cast<Order>(below(3)),
          at,
          static_cast<std::uint8_t>(nth),
          static_cast<std::uint8_t>(1 + below(2)),
          below(2) == 0,
          below(2) == 0};
}

std::int64_t DelaysStrategy::position_of(ThreadId thread) {
  std::int64_t& position = states_[thread].position;
  if (position == 0) {
    const auto number = static_cast<std::int64_t>(index_of(thread));
    position = 2 * kBeforeAllDelayed;
    if (plan_.order == Order::kCreation) position -= number;
    if (plan_.order == Order::kReversed) position += number;
    if (plan_.order == Order::kRandom) position += static_cast<std::int64_t>(random_.next() >> 24);
  }
  return position;
}

// A thread that gave up its turn, or reads the same again and again, has nothing to do until another one has
// changed something.
bool DelaysStrategy::is_waiting(ThreadId thread) {
  State& state = states_[thread];
  return state.waits && state.waits_since == changes_ - state.changes;
}

void DelaysStrategy::wait_for_change(ThreadId thread) {
  State& state = states_[thread];
  state.waits = true;
  state.waits_since = changes_ - state.changes;
}

std::uint32_t DelaysStrategy::first_in_order(const ChoicePoint& point, bool also_waiting) {
  std::uint32_t best = point.count;
  for (std::uint32_t i = 0; i < point.count; ++i) {
    if (!also_waiting && is_waiting(point.threads[i])) continue;
    if (best == point.count || position_of(point.threads[i]) > position_of(point.threads[best])) best = i;
  }
  return best;
}

std::uint32_t DelaysStrategy::choose_thread(const ChoicePoint& point) {
  if (continues_locally(point)) return point.fallback;
  for (;;) {
    std::uint32_t best = first_in_order(point, false);
    if (best == point.count) {
      // All wait, or look like it: in turns.
      best = first_in_order(point, true);
      states_[point.threads[best]].waits = false;
      step_back(point.threads[best]);
    }
    const ThreadId thread = point.threads[best];
    if (is_spinning(thread)) {
      stop_spinning(thread);
      wait_for_change(thread);
      continue;
    }
    const std::uint32_t before = events_;
    if (encounter(thread)) continue;
    // Waiting threads that write cannot be told from others: as under PCT (thesis, 6.3.3), whoever runs at a
    // multiple of k lets others run.
    if (events_ != before && events_ > period_ && events_ % period_ == 0) step_back(thread);
    return best;
  }
}

bool DelaysStrategy::is_first_time(std::uint64_t what, ThreadId thread) {
  const std::uint64_t at = mix(what, index_of(thread)) % kSeen;
  const std::uint64_t bit = 1ull << (at % 64);
  const bool was_seen = (seen_[at / 64] & bit) != 0;
  seen_[at / 64] |= bit;
  return !was_seen;
}

bool DelaysStrategy::meet(ThreadId thread, const NextOperation& next) {
  State& state = states_[thread];
  const bool is_new = next.address != 0 && is_first_time(next.address, thread);
  if (!(plan_.at == At::kTaken ? state.took : is_new)) return false;
  if (++state.points != plan_.nth || delays_left_ == 0) return false;
  --delays_left_;
  step_back(thread);
  return true;
}

std::uint32_t DelaysStrategy::choose_store(const ChoicePoint& point) {
  encounter(point.thread);
  Reads& reads = reads_[point.location % kLocations];
  if (view_->next_operation(point.thread).kind != EventKind::kAtomicLoad) reads = Reads::kNew;
  if (reads == Reads::kUnknown) {
    reads = next_is_old_ ? Reads::kOld : Reads::kNew;
    next_is_old_ = !next_is_old_;
  }
  if (reads == Reads::kNew || is_spinning(point.thread)) return point.fallback;
  constexpr std::uint64_t kReadOld = 1ull << 63;  // no address
  if (!is_first_time(kReadOld | point.location, point.thread) && below(2) == 0) return point.fallback;
  // The last one executed is first.
  if (plan_.oldest || point.count == 2) return point.count - 1;
  return 1 + below(point.count - 2);
}

std::uint32_t DelaysStrategy::choose(const ChoicePoint& point) {
  switch (point.kind) {
    case ChoiceKind::kThread:
      return choose_thread(point);
    case ChoiceKind::kReadsFrom:
      return choose_store(point);
    default:
      return below(point.count);
  }
}

void DelaysStrategy::after(const Operation& operation) {
  State& state = states_[operation.thread];
  if (operation.kind == EventKind::kYield) wait_for_change(operation.thread);
  if (!is_shared_access(operation.kind)) return;
  const bool updates = operation.reads && operation.writes;
  if (updates) reads_[operation.location.number % kLocations] = Reads::kNew;
  state.took = updates || is_acquiring_call(operation.kind);
  if (!operation.writes && !is_releasing_call(operation.kind) && operation.kind != EventKind::kPlainWrite)
    return;
  ++changes_;
  ++state.changes;
}

}  // namespace heddle::strategy
