#include "runtime/memory/memory_model.h"

#include <algorithm>

#include "core/base/check.h"

namespace heddle::memory {
namespace {

// With the incoming one, a row of bits is one word.
constexpr std::uint32_t kDefaultWindow = 63;
constexpr std::uint32_t kDefaultAggressiveWindow = 4096;
constexpr std::uint32_t kNoWindow = 0xffffffff;
constexpr std::uint32_t kLargestWindow = 1u << 20;

}  // namespace

MemoryModel::MemoryModel()
    : views_(arena_),
      threads_(arena_, views_),
      table_(arena_),
      order_(arena_, views_),
      bounds_(arena_),
      failure_bounds_(arena_) {
  find_processor_abilities();
  reset(Options{});
}

void MemoryModel::reset(const Options& options) {
  options_ = options;
  model_ = model_of(options.model);
  if (options_.window == 0) {
    options_.window = options_.prune == PruneKind::kAggressive ? kDefaultAggressiveWindow : kDefaultWindow;
  }
  window_ = !model_.reads_old_stores ? 1
            : options_.prune == PruneKind::kWindow
                ? static_cast<std::uint32_t>(std::min<std::uint64_t>(options_.window, kLargestWindow))
                : kNoWindow;
  arena_.reset();
  threads_.reset(model_);
  table_.reset();
  order_.reset(options_.record);
  bounds_.reset();
  failure_bounds_.reset();
  steps_ = 0;
  locations_made_ = 0;
  pruned_ = false;
  pending_ = {};
  candidates_ = nullptr;
  candidate_capacity_ = 0;
}

void MemoryModel::fence(ThreadId t, MemoryOrder order) {
  if (order == MemoryOrder::kSeqCst) {
    threads_.seq_cst_fence(t);
    return;
  }
  if (is_acquire(order)) threads_.acquire_fence(t);
  if (is_release(order)) threads_.release_fence(t);
}

void MemoryModel::clear_candidates(const Location& x, std::uint32_t per_store) {
  const std::uint32_t needed = x.capacity * per_store;
  if (needed > candidate_capacity_) {
    if (candidate_capacity_ != 0) arena_.release_array(candidates_, candidate_capacity_);
    candidates_ = arena_.allocate_array<Candidate>(needed);
    candidate_capacity_ = needed;
  }
  pending_.listed = true;
  pending_.count = 0;
}

void MemoryModel::add_candidate(const Location& x, Sequence s, ReadOutcome outcome) {
  candidates_[pending_.count++] = candidate_of(x, s, outcome);
}

std::uint32_t MemoryModel::list_read(Location& x, const Bounds& bounds, bool tails_only) {
  clear_candidates(x, 1);
  for_each_newest_first(x, tails_only ? x.tails : x.live, [&](Sequence s) {
    if (!Location::test(bounds.excluded(), x.slot(s))) add_candidate(x, s, ReadOutcome::kRead);
  });
  return pending_.count;
}

std::uint32_t MemoryModel::begin_update(ThreadId t, const Place& place, MemoryOrder order,
                                        const Found& found) {
  Location& x = found ? *found.location : locate(place);
  ensure_room(x);
  Accessor* accessor = found ? found.accessor : ModificationOrder::find_accessor(x, t);
  // Where there is one chain of updates only its end can be read, whatever t knows.
  const bool settled = x.has_single_maximum() && (x.has_single_tail() || is_settled(x, t, accessor));
  pending_ = {&x, t, order, order, false, true, settled, false, 1, 0, accessor};
  if (settled) return 1;
  find_bounds(bounds_, x, t, order, true, accessor);
  return begin_read(x, bounds_, true);
}

std::span<const Candidate> MemoryModel::candidates() {
  if (!pending_.listed) {
    const Location& x = *pending_.location;
    const std::uint64_t ages = pending_.ages;
    clear_candidates(x, 1);
    if (pending_.settled) {
      add_candidate(x, x.newest, ReadOutcome::kRead);
    } else {
      for (std::uint64_t m = ages; m != 0;) {
        const auto top = static_cast<std::uint32_t>(63 - __builtin_clzll(m));
        m &= ~(1ull << top);
        add_candidate(x, x.end - x.capacity + top, ReadOutcome::kRead);
      }
    }
  }
  return {candidates_, pending_.count};
}

std::uint32_t MemoryModel::candidates_digest() const {
  const Location& x = *pending_.location;
  if (!pending_.listed) return digest_of(x, pending_.ages, pending_.count);
  std::uint64_t h = pending_.ages * 0x9e3779b97f4a7c15ull;
  for (std::uint32_t i = 0; i < pending_.count; ++i) h = (h ^ candidates_[i].store) * 0xff51afd7ed558ccdull;
  return digest_of_stores(x, h, pending_.count);
}

std::span<const Candidate> MemoryModel::readable_load(ThreadId t, const Place& place, MemoryOrder order) {
  begin_load(t, place, order);
  return candidates();
}

std::span<const Candidate> MemoryModel::readable_update(ThreadId t, const Place& place, MemoryOrder order) {
  begin_update(t, place, order);
  return candidates();
}

// [atomics.types.operations]p18-21: success if and only if the values are equal, but a weak CAS may fail
// anyway. A failure is a load with the failure order, which may read a store that has been updated already.
std::span<const Candidate> MemoryModel::readable_cas(ThreadId t, const Place& place,
                                                     const CasRequest& request) {
  Location& x = locate(place);
  ensure_room(x);
  Accessor* accessor = ModificationOrder::find_accessor(x, t);
  const bool settled = is_settled(x, t, accessor);
  const bool own =
      !settled && (is_seq_cst(request.success) != is_seq_cst(request.failure) || model_.failure_differs);
  pending_ = {&x, t, request.success, request.failure, own, true, settled, false, 1, 0, accessor};
  if (settled) {
    const bool equal = x.store(x.newest).value == request.expected;
    clear_candidates(x, 2);
    add_candidate(x, x.newest, equal ? ReadOutcome::kCasSuccess : ReadOutcome::kCasFailure);
    if (equal && request.weak) add_candidate(x, x.newest, ReadOutcome::kCasSpurious);
    return {candidates_, pending_.count};
  }
  find_bounds(bounds_, x, t, request.success, true, accessor);
  if (own) find_bounds(failure_bounds_, x, t, request.failure, false, accessor);
  const std::uint64_t* succeeds = bounds_.excluded();
  const std::uint64_t* fails = own ? failure_bounds_.excluded() : succeeds;
  clear_candidates(x, 2);
  for_each_newest_first(x, x.live, [&](Sequence s) {
    const std::uint32_t slot = x.slot(s);
    const bool equal = x.stores[slot].value == request.expected;
    if (equal && x.is_tail(s) && !Location::test(succeeds, slot))
      add_candidate(x, s, ReadOutcome::kCasSuccess);
    if (Location::test(fails, slot)) return;
    if (!equal) {
      add_candidate(x, s, ReadOutcome::kCasFailure);
    } else if (request.weak) {
      add_candidate(x, s, ReadOutcome::kCasSpurious);
    }
  });
  return {candidates_, pending_.count};
}

Value MemoryModel::commit_update(const Candidate& c, const Value& value, EventId event) {
  HEDDLE_CHECK(pending_.ready && (c.outcome == ReadOutcome::kRead || c.outcome == ReadOutcome::kCasSuccess));
  pending_.ready = false;
  Location& x = *pending_.location;
  const ThreadId t = pending_.thread;
  commit_read(x, c.store, pending_.order, bounds_, true);
  const Sequence s = order_.append_update(x, c.store);
  // Before the message is made: publishing advances the thread's time.
  Store& store = fill(x, pending_accessor(x, t), s, t, pending_.order, value, event);
  store.message = threads_.update_message(t, x.store(c.store).message, pending_.order);
  const Value newest = x.store(x.newest).value;
  limit_window(x);
  return newest;
}

Value MemoryModel::finish_drawn_update(ThreadId t, const Found& found, MemoryOrder order, const Store& read,
                                       const Value& value) {
  Location& x = *found.location;
  const Sequence s = order_.append_update(x, x.sequence(static_cast<std::uint32_t>(&read - x.stores)));
  Store& store = fill(x, *found.accessor, s, t, order, value, kNoEvent);
  store.message = threads_.update_message(t, read.message, order);
  const Value newest = x.store(x.newest).value;
  limit_window(x);
  return newest;
}

Value MemoryModel::store(ThreadId t, const Place& place, MemoryOrder order, const Value& value,
                         EventId event) {
  Location& x = locate(place);
  ensure_room(x);
  Accessor& accessor = order_.accessor(x, t);
  pending_.location = &x;
  pending_.ready = false;
  Sequence s;
  if (is_settled(x, t, &accessor)) {
    s = order_.append_last(x);
  } else {
    find_bounds(bounds_, x, t, order, true, &accessor);
    s = order_.append_store(x, bounds_.known());
  }
  accessor.lessons = threads_.state(t).lessons;
  Message& message = fill(x, accessor, s, t, order, value, event).message;
  message = is_release(order) ? threads_.publish(t) : ViewPool::retain(threads_.state(t).release_fence);
  if (x.latest_only) {
    // Several locations in one: whatever was released into any of them may be acquired.
    message = threads_.merge(message, ViewPool::retain(x.store(s - 1).message));
  }
  limit_window(x);
  return value;
}

}  // namespace heddle::memory
