// Operations that may enter S before others, or do (overtaking.h), and loads that read back (LWG 3941). Seldom.
#include <algorithm>

#include "runtime/memory/masks.h"
#include "runtime/memory/memory_model.h"

namespace heddle::memory {

SpotList& MemoryModel::spot_list(std::uint32_t number) {
  if (lists_ == nullptr) lists_ = arena_.allocate_array<SpotList>(2);
  return lists_[number];
}

// The places at which one of the stores may be read. The first of them is chosen for now.
std::uint32_t MemoryModel::select(SpotList& list, std::uint64_t stores) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < list.count; ++i) {
    if ((list.spots[i].allowed & stores) != 0) choices_[count++] = static_cast<std::uint8_t>(i);
  }
  spots_ = &list;
  spot_ = &list.spots[choices_[0]];
  return count;
}

// --- before the commit

std::uint64_t MemoryModel::find_spots(Reading& reading, std::uint32_t number, Overtaking::Kind kind,
                                      const std::uint64_t* known, std::uint64_t excluded) {
  const Location& x = *reading.location;
  Spot end;
  end.before = total_order_.last();
  end.allowed = x.live[0] & ~excluded & (kind == Overtaking::Kind::kUpdate ? x.tails[0] : ~0ull);
  end.below = known[0];
  if (!is_seq_cst(reading.order)) return end.allowed;
  SpotList& list = spot_list(number);
  const std::uint64_t stores = overtaking_.find(list, x, reading.thread, kind, end);
  if (list.count > 1) reading.placed = static_cast<std::uint8_t>(number + 1);
  return stores;
}

Reading MemoryModel::begin_placed_read(Reading reading, bool updates) {
  Location& x = *reading.location;
  if (x.latest_only || x.words != 1) {
    if (!x.latest_only && model_.overtakes) overtaking_.refuse();
    return reading.settled ? reading : begin_long_read(reading, updates);
  }
  reading.settled = false;
  find_bounds(bounds_, x, reading.thread, reading.order, updates, reading.accessor);
  reading.known = bounds_.known()[0];
  const auto kind = updates ? Overtaking::Kind::kUpdate : Overtaking::Kind::kLoad;
  reading.ages = newest_at_top(x, find_spots(reading, 0, kind, bounds_.known(), bounds_.excluded()[0]));
  reading.count = count_bits(reading.ages);
  return reading;
}

std::uint32_t MemoryModel::begin_spots(const Reading& reading, Sequence store) {
  return select(spot_list(reading.placed - 1u), 1ull << reading.location->slot(store));
}

std::uint32_t MemoryModel::begin_cas_spots(std::uint32_t index) {
  const Candidate& picked = candidates_[index];
  const Reading& reading = picked.outcome == ReadOutcome::kCasSuccess ? pending_.success : pending_.failure;
  return reading.placed != 0 ? begin_spots(reading, picked.store) : 1;
}

std::uint32_t MemoryModel::begin_store(ThreadId t, const Place& place) {
  Location& x = locate(place);
  ensure_room(x);  // now, because places are in terms of slots
  SpotList& list = spot_list(0);
  Spot end;
  end.before = total_order_.last();
  overtaking_.find(list, x, t, Overtaking::Kind::kStore, end);
  for (std::uint32_t i = 0; i < list.count; ++i) list.spots[i].allowed = 1;
  return select(list, 1);
}

std::uint32_t MemoryModel::begin_fence(ThreadId t) {
  threads_.begin_seq_cst_fence(t);
  pending_.location = nullptr;
  SpotList& list = spot_list(0);
  overtaking_.find_for_fence(list, t);
  for (std::uint32_t i = 0; i < list.count; ++i) list.spots[i].allowed = 1;
  return select(list, 1);
}

// --- the commit

Spot MemoryModel::take_spot(const Reading& reading, Sequence read) {
  if (spot_ == nullptr) begin_spots(reading, read);
  const Spot spot = *spot_;
  spot_ = nullptr;
  return spot;
}

// Edges from the stores to all that are above.
void MemoryModel::put_below(Location& x, std::uint64_t stores, std::uint64_t above) {
  for_each_slot(&above, 1, [&](std::uint32_t slot) { order_.constrain_read(x, &stores, x.sequence(slot)); });
}

// The same of a location that is not the operation's own.
void MemoryModel::put_others_below(Location& x, std::uint64_t stores, std::uint64_t above) {
  const Sequence newest = x.newest;
  put_below(x, stores, above);
  if (x.newest == newest || &x == pending_.location) return;
  if (rewritten_ == nullptr) rewritten_ = arena_.allocate_array<Rewritten>(Overtaking::kMostFenced);
  rewritten_[rewritten_count_++] = {x.address, newest_value(x), x.size};
}

void MemoryModel::enter_early(Location& x, const Spot& spot, Sequence store, std::uintptr_t what) {
  Access previous;
  overtaking_.last_access(x, spot.before, previous);
  overtaken_ = spot.overtaken;
  total_order_.insert(spot.time(), &x, x.store(store).step, previous.time, what);
  if ((what & SeqEvent::kReadsBack) == 0) order_.insert_access(x, x.seq_cst, {spot.time(), store});
}

const Store& MemoryModel::finish_placed_load(const Reading& reading, Sequence read) {
  Location& x = *reading.location;
  const ThreadId t = reading.thread;
  const Spot spot = take_spot(reading, read);
  Reading plain = reading;
  plain.placed = 0;
  plain.known = spot.below;
  plain.all = nullptr;
  if (spot.is_end()) return finish_load<false>(plain, read);
  Accessor& accessor = commit_read<false>(plain, read);
  const Store& store = x.store(read);
  const bool reads_back = overtaking_.reads_back(store, t) && add_read_back(x, t, store);
  put_below(x, reads_back ? Overtaking::by_others(x, threads_.state(t), t) : 1ull << x.slot(read),
            spot.above);
  enter_early(x, spot, read, reads_back ? SeqEvent::kReadsBack : 0);
  if (reads_back) bind_others(x, t, spot.time());
  learn(t, store, reading.order);
  record(x, accessor, t, read);
  ThreadState& s = threads_.state(t);
  ThreadClocks::entered_early(s, spot.time());
  ThreadClocks::see(s, store.delta);
  return store;
}

// The new store s of t, which is described already.
void MemoryModel::enter_store_early(Location& x, ThreadId t, Sequence s, const Spot& spot) {
  ThreadState& writer = threads_.state(t);
  Store& store = x.store(s);
  drain(t, spot.time(), &spot);
  enter_early(x, spot, s, 0);
  store.seq_time = spot.time();
  ThreadClocks::entered_early(writer, spot.time());
  store.delta = writer.delta;
  x.delta = std::max(x.delta, store.delta);
  put_below(x, 1ull << x.slot(s), spot.above);
}

Value MemoryModel::finish_placed_update(const Reading& reading, Sequence read, const Value& value,
                                        EventId event) {
  Location& x = *reading.location;
  const ThreadId t = reading.thread;
  const Spot spot = take_spot(reading, read);
  Reading plain = reading;
  plain.placed = 0;
  plain.known = spot.below;
  plain.all = nullptr;
  if (spot.is_end()) return finish_update<false>(plain, read, value, event);
  Accessor& accessor = commit_read<false>(plain, read);
  ThreadState& writer = threads_.state(t);
  const Store& source = x.store(read);
  learn(t, source, reading.order);
  ThreadClocks::see(writer, source.delta);
  const Sequence s = order_.append_update(x, read);
  Store& store = describe(x, accessor, s, t, value, event, true);
  store.message = threads_.update_message(t, source.message, reading.order);
  store.lambda = threads_.update_lambda(t, source.lambda, reading.order);
  enter_store_early(x, t, s, spot);
  const Value newest = x.store(x.newest).value;
  limit_window(x);
  return newest;
}

Value MemoryModel::store_early(ThreadId t, Location& x, const Value& value, EventId event, const Spot& spot) {
  Accessor& accessor = order_.accessor(x, t);
  const Sequence s = order_.append_store(x, &spot.below);
  accessor.lessons = threads_.state(t).lessons;
  Store& store = describe(x, accessor, s, t, value, event, false);
  store.lambda = threads_.state(t).lambda;
  store.message = threads_.publish(t);
  enter_store_early(x, t, s, spot);
  const Value newest = x.store(x.newest).value;
  limit_window(x);
  return newest;
}

void MemoryModel::fence_early(ThreadId t, const Spot& spot) {
  overtaking_.for_each_fenced(t, spot, [&](Location& x, const BelowMasks& under, const AboveMasks& over) {
    put_others_below(x, under.known, over.all());
    if (x.seq_cst.last.time <= spot.before) return;
    // What comes last before the fence has to stay known.
    Access last;
    overtaking_.last_access(x, spot.before, last);
    if (last.time > x.seq_cst.entry_at(spot.before).time) order_.insert_access(x, x.seq_cst, last);
  });
  overtaken_ = spot.overtaken;
  threads_.insert_seq_cst_fence(t, total_order_, spot.time());
}

// A store or update that is not seq_cst, where seq_cst operations come before it.
void MemoryModel::label(Location& x, Store& store, ThreadId t, MemoryOrder order, const Store* source) {
  ThreadState& writer = threads_.state(t);
  if (source != nullptr) ThreadClocks::see(writer, source->delta);
  store.seq_time = 0;
  store.delta = writer.delta;
  store.lambda = threads_.update_lambda(t, source != nullptr ? source->lambda : 0, order);
  x.delta = std::max(x.delta, store.delta);
}

// --- reading back

bool MemoryModel::add_read_back(const Location& x, ThreadId t, const Store& store) {
  return x.words == 1 && !x.latest_only &&
         threads_.add_read_back(t, {x.address, x.number, store.step, x.size});
}

// What bounds others in the stead of a load that reads back: accesses that happen before it.
void MemoryModel::bind_others(Location& x, ThreadId t, SeqTime time) {
  const std::uint64_t others = Overtaking::by_others(x, threads_.state(t), t);
  for_each_slot(&others, 1, [&](std::uint32_t slot) { order_.add_soft(x, {time, x.sequence(slot)}); });
}

// At the end of S. False: it is to be a load as any other, which is stricter.
bool MemoryModel::read_back(Location& x, ThreadId t, const Store& store) {
  if (!add_read_back(x, t, store)) return false;
  const SeqTime time = total_order_.append(x, store.step, SeqEvent::kReadsBack);
  bind_others(x, t, time);
  ThreadClocks::entered(threads_.state(t), time);
  return true;
}

// A seq_cst write of t enters S: before it the store buffer is empty.
void MemoryModel::drain(ThreadId t, SeqTime time, const Spot* spot) {
  ThreadState& s = threads_.state(t);
  for (std::uint32_t i = 0; i < s.read_back_count; ++i) {
    Sequence store;
    Location* const x = overtaking_.find_read_back(s.seldom->read_backs[i], store);
    if (x == nullptr) continue;
    if (spot != nullptr)
      put_others_below(*x, 1ull << x->slot(store), overtaking_.above(*x, spot->before).all());
    order_.add_soft(*x, {time, store});
  }
  s.read_back_count = 0;
}

// The first access since another fence happens before the thread's accesses: it may bound others from above, and so
// stays apart from the one before and from those that follow.
void MemoryModel::record_after_fence(Location& x, Accessor& accessor, ThreadId t, Sequence store) {
  overtaking_.note_access(x, threads_.state(t));
  if (accessor.history.last.store == store) {
    order_.record_again(x, accessor.history, threads_.time(t));
  } else {
    order_.record_access(x, accessor.history, threads_.time(t), store);
  }
  threads_.advance(t);
}

}  // namespace heddle::memory
