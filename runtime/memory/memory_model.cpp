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
      order_(arena_, views_, threads_),
      total_order_(arena_, views_),
      overtaking_(arena_, threads_, total_order_, table_),
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
  total_order_.reset();
  overtaking_.reset(model_);
  bounds_.reset();
  failure_bounds_.reset();
  steps_ = 0;
  locations_made_ = 0;
  pruned_ = false;
  pending_ = {};
  spots_ = lists_ = nullptr;
  rewritten_ = nullptr;
  rewritten_count_ = overtaken_ = 0;
  spot_ = nullptr;
  candidates_ = nullptr;
  candidate_capacity_ = 0;
}

void MemoryModel::fence(ThreadId t, MemoryOrder order) {
  if (order == MemoryOrder::kSeqCst) {
    threads_.begin_seq_cst_fence(t);
    if (spot_ != nullptr && !spot_->is_end())
      fence_early(t, *spot_);
    else
      threads_.append_seq_cst_fence(t, total_order_);
    spot_ = nullptr;
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
  pending_.count = 0;
}

void MemoryModel::add_candidate(const Location& x, Sequence s, ReadOutcome outcome) {
  candidates_[pending_.count++] = candidate_of(x, s, outcome);
}

Reading MemoryModel::begin_load(ThreadId t, const Place& place, MemoryOrder order, const Found& found) {
  Location& x = found ? *found.location : locate(place);
  Accessor* const accessor = found ? found.accessor : ModificationOrder::find_accessor(x, t);
  return begin_read<false>({&x, accessor, t, order, is_settled(x, t, accessor)}, false);
}

Reading MemoryModel::begin_update(ThreadId t, const Place& place, MemoryOrder order, const Found& found) {
  Location& x = found ? *found.location : locate(place);
  ensure_room(x);
  Accessor* const accessor = found ? found.accessor : ModificationOrder::find_accessor(x, t);
  return begin_read<false>({&x, accessor, t, order, is_settled_update(x, t, accessor)}, true);
}

void MemoryModel::enter_load(Location& x, ThreadId t, Sequence read) {
  const Store& store = x.store(read);
  if (overtaking_.reads_back(store, t) && read_back(x, t, store)) return;
  const SeqTime time = total_order_.append(x, store.step, 0);
  if (x.seq_cst.last.store != read) order_.record_at_end(x, time, total_order_.last_fence(), read);
  ThreadClocks::entered(threads_.state(t), time);
}

bool MemoryModel::repeat_load(const Location& x, ThreadState& s) {
  if (x.seq_cst.last.store != x.newest || s.delta != s.lambda) return false;
  // Right after an access that read or wrote the same it orders what that one orders, and needs no place of its own.
  if (!total_order_.ends_with(x)) total_order_.append(x, x.store(x.newest).step, 0);
  ThreadClocks::entered(s, total_order_.last());
  return true;
}

const Store& MemoryModel::commit_load(const Reading& reading, Sequence read) {
  return finish_load<false>(reading, read);
}

Value MemoryModel::commit_update(const Reading& reading, Sequence read, const Value& value, EventId event) {
  return finish_update<false>(reading, read, value, event);
}

Value MemoryModel::commit_short_update(const Reading& reading, Sequence read, const Value& value) {
  return finish_update<true>(reading, read, value, kNoEvent);
}

Reading MemoryModel::begin_long_read(Reading reading, bool updates) {
  Location& x = *reading.location;
  find_bounds(bounds_, x, reading.thread, reading.order, updates, reading.accessor);
  reading.all = bounds_.known();
  if (x.words == 1) {
    reading.ages = newest_at_top(x, x.live[0] & ~bounds_.excluded()[0] & (updates ? x.tails[0] : ~0ull));
    reading.count = count_bits(reading.ages);
    return reading;
  }
  clear_candidates(x, 1);
  for_each_newest_first(x, updates ? x.tails : x.live, [&](Sequence s) {
    if (!Location::test(bounds_.excluded(), x.slot(s))) add_candidate(x, s, ReadOutcome::kRead);
  });
  reading.listed = true;
  reading.count = pending_.count;
  return reading;
}

std::span<const Candidate> MemoryModel::candidates(const Reading& reading) {
  if (!reading.listed) {
    clear_candidates(*reading.location, 1);
    for (std::uint32_t i = 0; i < reading.count; ++i)
      add_candidate(*reading.location, store_at(reading, i), ReadOutcome::kRead);
  }
  return {candidates_, reading.count};
}

std::uint32_t MemoryModel::digest_of_list(const Reading& reading) const {
  std::uint64_t h = 0;
  for (std::uint32_t i = 0; i < reading.count; ++i) h = (h ^ candidates_[i].store) * 0xff51afd7ed558ccdull;
  return digest_of_stores(*reading.location, h, reading.count);
}

// [atomics.types.operations]p18-21: success if and only if the values are equal, but a weak CAS may fail
// anyway. A failure is a load with the failure order, which may read a store that has been updated already.
std::span<const Candidate> MemoryModel::readable_cas(ThreadId t, const Place& place,
                                                     const CasRequest& request) {
  Location& x = locate(place);
  ensure_room(x);
  Accessor* accessor = ModificationOrder::find_accessor(x, t);
  const ThreadState& state = threads_.state(t);
  const bool may_move = !x.latest_only && x.words == 1 && may_overtake(x, state) &&
                        (is_seq_cst(request.success) || is_seq_cst(request.failure));
  const bool settled = !may_move && is_settled(x, t, accessor);
  const bool own =
      !settled && (is_seq_cst(request.success) != is_seq_cst(request.failure) || model_.failure_differs);
  pending_ = {
      &x, true, 0, {&x, accessor, t, request.success, settled}, {&x, accessor, t, request.failure, settled}};
  if (settled) {
    const bool equal = x.store(x.newest).value == request.expected;
    clear_candidates(x, 2);
    add_candidate(x, x.newest, equal ? ReadOutcome::kCasSuccess : ReadOutcome::kCasFailure);
    if (equal && request.weak) add_candidate(x, x.newest, ReadOutcome::kCasSpurious);
    return {candidates_, pending_.count};
  }
  find_bounds(bounds_, x, t, request.success, true, accessor);
  if (own) find_bounds(failure_bounds_, x, t, request.failure, false, accessor);
  pending_.success.all = bounds_.known();
  pending_.failure.all = own ? failure_bounds_.known() : bounds_.known();
  const std::uint64_t* succeeds = bounds_.excluded();
  const std::uint64_t* fails = own ? failure_bounds_.excluded() : succeeds;
  std::uint64_t not_updated, not_read;
  if (may_move) {
    not_updated =
        ~find_spots(pending_.success, 0, Overtaking::Kind::kUpdate, pending_.success.all, succeeds[0]);
    not_read = ~find_spots(pending_.failure, 1, Overtaking::Kind::kLoad, pending_.failure.all, fails[0]);
    succeeds = &not_updated;
    fails = &not_read;
  }
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

Value MemoryModel::commit_failure(std::uint32_t index) {
  HEDDLE_CHECK(pending_.is_cas && index < pending_.count &&
               candidates_[index].outcome != ReadOutcome::kCasSuccess);
  pending_.is_cas = false;
  commit_load(pending_.failure, candidates_[index].store);
  return newest_value(*pending_.location);
}

Value MemoryModel::commit_success(std::uint32_t index, const Value& value, EventId event) {
  HEDDLE_CHECK(pending_.is_cas && index < pending_.count &&
               candidates_[index].outcome == ReadOutcome::kCasSuccess);
  pending_.is_cas = false;
  return commit_update(pending_.success, candidates_[index].store, value, event);
}

Value MemoryModel::store(ThreadId t, const Place& place, MemoryOrder order, const Value& value,
                         EventId event) {
  Location& x = locate(place);
  ensure_room(x);
  pending_.location = &x;
  pending_.is_cas = false;
  if (spot_ != nullptr) [[unlikely]] {
    const Spot& spot = *spot_;
    spot_ = nullptr;
    if (!spot.is_end()) return store_early(t, x, value, event, spot);
  }
  Accessor& accessor = order_.accessor(x, t);
  Sequence s;
  if (is_settled(x, t, &accessor)) {
    s = order_.append_last(x);
  } else {
    find_bounds(bounds_, x, t, order, true, &accessor);
    s = order_.append_store(x, bounds_.known());
  }
  accessor.lessons = threads_.state(t).lessons;
  Store& made = describe(x, accessor, s, t, value, event, false);
  made.message = is_release(order) ? threads_.publish(t) : ViewPool::retain(threads_.state(t).release_fence);
  enter_store(x, made, s, t, order, nullptr);
  if (x.latest_only) {
    // Several locations in one: whatever was released into any of them may be acquired.
    const Store& before = x.store(s - 1);
    made.message = threads_.merge(made.message, ViewPool::retain(before.message));
    made.lambda = std::max(made.lambda, before.lambda);
    made.delta = std::max(made.delta, before.delta);
  }
  limit_window(x);
  return value;
}

}  // namespace heddle::memory
