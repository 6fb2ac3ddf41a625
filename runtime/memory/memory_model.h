// MemoryModel: what an execution may show. For each atomic load it answers which stores the load may read,
// and it keeps the books when one has been picked. It chooses nothing, touches no memory of the program and
// makes no calls.
//
// Meaning. Operations are committed one at a time; the order of the calls is the order of execution, which
// agrees with happens-before and reads-from. The modification order of a location is not tied to the order of
// execution: it is a set of constraints that grows (C11Tester §4). Nor is the total order S of seq_cst operations:
// one may overtake others that were executed earlier (overtaking.h).
//
// What the models differ in, each says in its own file: models/cxx20.h, models/c11tester.h, models/sc.h.
//
// How to use it, per atomic operation of thread t on a Place (address, size, what real memory holds now):
//   load     reading = begin_load(t, place, order);     pick one; commit_load(reading, store)
//   update   reading = begin_update(t, place, order);   pick one; commit_update(reading, store, value, event)
//   CAS      candidates = readable_cas(t, place, {…});  pick one; its `outcome` says which commit
//   store    store(t, place, order, value, event)
//   fence    fence(t, order)
// Where a seq_cst operation may enter S at several places, one is chosen before the commit: see choose_spot().
// This is the one way to read, for campaigns, recorded executions and tests. Candidates are in the order of
// execution, newest first; there is always at least one, and exactly one of a load's or update's is `newest`. A
// commit must follow before anything else is asked. What real memory must hold afterwards is the value of the
// last executed mo-maximal store (newest_value), so that uninstrumented code reads something sane. Note that a
// load can change it, by deciding which of two stores came last.
//
// Locations come into being at their first atomic access, with the value of real memory as the initial store,
// which happens before everything. They start anew whenever real memory does not hold what the model last
// returned, because code that cannot be seen wrote there; plain_write and drop_range say so for code that
// can. Where accesses of different sizes overlap, the 16-byte line becomes latest-only: reads see real
// memory.
//
// Time: O(1) for most operations, O(threads that accessed the location) otherwise; independent of the length
// of the run. Memory: by default at most Options::window stores per location are kept (the oldest cannot be
// read any more, which is sound; pruned() tells).
//
// Pure library: no system calls but the arena's mmap, no exceptions, no locks, no globals. Not thread-safe:
// the engine runs one operation at a time.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "core/base/address_space.h"
#include "core/base/arena.h"
#include "core/base/check.h"
#include "core/base/clock_view.h"
#include "core/base/ids.h"
#include "core/trace/choice.h"
#include "core/trace/run_spec.h"
#include "runtime/memory/bounds.h"
#include "runtime/memory/location.h"
#include "runtime/memory/location_table.h"
#include "runtime/memory/models/model.h"
#include "runtime/memory/modification_order.h"
#include "runtime/memory/overtaking.h"
#include "runtime/memory/reading.h"
#include "runtime/memory/select.h"
#include "runtime/memory/thread_clocks.h"
#include "runtime/memory/total_order.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

class MemoryModel {
 public:
  MemoryModel();
  MemoryModel(const MemoryModel&) = delete;
  MemoryModel& operator=(const MemoryModel&) = delete;

  // Starts an execution: only the main thread exists. Costs O(1); memory of earlier executions is used again.
  void reset(const Options& options);

  // --- threads. A slot may be used again once its thread has been joined (or will never be).
  void thread_created(ThreadId parent, ThreadId child) { threads_.created(parent, child); }
  void thread_finished(ThreadId t) { threads_.finished(t); }
  void thread_joined(ThreadId joiner, ThreadId finished) { threads_.joined(joiner, finished); }
  // `waiter` is blocked until it has joined `awaited`; conservative pruning then need not keep anything for
  // it.
  void thread_waits_for(ThreadId waiter, ThreadId awaited) { threads_.waits_for(waiter, awaited); }

  // --- happens-before, for the race detector.
  ClockView clock(ThreadId t) const { return threads_.clock(t); }
  Epoch epoch(ThreadId t) const { return {t, threads_.time(t)}; }
  std::uint32_t stores_of(ThreadId t) const { return threads_.state(t).stores; }

  // --- synchronisation objects.
  void release(ThreadId t, SyncClock& object) { threads_.release_into(t, object); }
  void acquire(ThreadId t, const SyncClock& object) { threads_.acquire_from(t, object); }
  // Who made the latest release into the object, if that does not happen before what `t` does next; kNoThread
  // if it does, and where several threads' releases were joined.
  ThreadId unknown_owner(ThreadId t, const SyncClock& object) const {
    const Message& m = object.message;
    return m && m.has_owner() && !threads_.knows(t, m) ? m.owner : kNoThread;
  }
  void forget(SyncClock& object) {
    views_.release(object.message.view);
    object = {};
  }

  // --- atomics.
  [[gnu::always_inline]] Found find(ThreadId t, const Place& place) const {
    Location* const x = table_.find(place.address, place.size);
    if (x == nullptr || x->latest_only) return {};
    const Value& newest = x->store(x->newest).value;  // (of one word mostly, which callers know)
    if (newest.low != place.memory.low || (place.size > 8 && newest.high != place.memory.high)) return {};
    return {x, ModificationOrder::find_accessor(*x, t)};
  }
  // Can such a load only read what it read before, which is the newest, and change nothing by it? Then real
  // memory has the value, and nothing is to be committed. May say no where it could say yes.
  // REQUIRES: found.
  bool load_repeats(ThreadId t, const Found& found, MemoryOrder order);
  // An update that can only read the newest store, begun and committed in one, without a candidate being
  // made of it. Real memory is to hold `value` then. False: nothing has changed; may say so where it need
  // not. REQUIRES: found.
  bool update_newest(ThreadId t, const Found& found, MemoryOrder order, const Value& value);
  // Is the way short: are the location's stores, and what binds the thread, in a word? REQUIRES: found.
  bool reads_in_a_word(ThreadId t, const Found& found, MemoryOrder order) const {
    return is_short(*found.location, t, order);
  }
  static bool has_room(const Found& found) {
    return found.location->end - found.location->first != found.location->capacity;
  }
  // A read whose way is short leaves out what it does not need, and does the same. REQUIRES of these: found,
  // reads_in_a_word(), and of an update has_room().
  Reading begin_load(ThreadId t, const Place& place, MemoryOrder order, const Found& found = {});
  [[gnu::always_inline]] Reading begin_short_load(ThreadId t, const Found& found, MemoryOrder order) {
    const bool settled = is_settled(*found.location, t, found.accessor);
    return begin_read<true>({found.location, found.accessor, t, order, settled}, false);
  }
  Reading begin_update(ThreadId t, const Place& place, MemoryOrder order, const Found& found = {});
  [[gnu::always_inline]] Reading begin_short_update(ThreadId t, const Found& found, MemoryOrder order) {
    const bool settled = is_settled_update(*found.location, t, found.accessor);
    return begin_read<true>({found.location, found.accessor, t, order, settled}, true);
  }
  // A candidate by its number, newest first.
  [[gnu::always_inline]] Sequence store_at(const Reading& reading, std::uint32_t index) const {
    const Location& x = *reading.location;
    if (reading.settled) return x.newest;
    if (reading.listed) return candidates_[index].store;
    return x.end - x.capacity + select_from_top(reading.ages, index);
  }
  // The same where there is one candidate.
  [[gnu::always_inline]] Sequence only_store(const Reading& reading) const {
    const Location& x = *reading.location;
    if (reading.settled) return x.newest;
    if (reading.listed) return candidates_[0].store;
    return x.end - x.capacity + static_cast<std::uint32_t>(__builtin_ctzll(reading.ages));
  }
  static Candidate candidate(const Reading& reading, Sequence store) {
    return candidate_of(*reading.location, store, ReadOutcome::kRead);
  }
  std::span<const Candidate> candidates(const Reading& reading);
  // A hash of the candidates, cheap: equal in equal executions.
  [[gnu::always_inline]] std::uint32_t digest(const Reading& reading) const {
    return reading.listed
               ? digest_of_list(reading)
               : digest_of_stores(*reading.location, reading.ages * 0x9e3779b97f4a7c15ull, reading.count);
  }
  // Answer the store that is read.
  const Store& commit_load(const Reading& reading, Sequence read);
  [[gnu::always_inline]] const Store& commit_short_load(const Reading& reading, Sequence read) {
    return finish_load<true>(reading, read);
  }
  // Answer what real memory is to hold.
  Value commit_update(const Reading& reading, Sequence read, const Value& value, EventId event = kNoEvent);
  Value commit_short_update(const Reading& reading, Sequence read, const Value& value);
  std::span<const Candidate> readable_cas(ThreadId t, const Place& place, const CasRequest& request);
  // Of a compare-exchange that fails, or succeeds. Answer what real memory is to hold.
  Value commit_failure(std::uint32_t index);
  Value commit_success(std::uint32_t index, const Value& value, EventId event = kNoEvent);
  // What real memory is to hold.
  static const Value& newest_value(const Location& x) { return x.store(x.newest).value; }
  [[gnu::flatten]] Value store(ThreadId t, const Place& place, MemoryOrder order, const Value& value,
                               EventId event = kNoEvent);
  void fence(ThreadId t, MemoryOrder order);

  // --- where a seq_cst operation enters S. Mostly the end is the only place. Otherwise there are several, numbered
  // from the end to the earliest; one may be chosen before the operation is committed, else it is number 0.
  // May the next store or fence of t overtake? If not, nothing is to be asked.
  bool may_overtake(ThreadId t) const { return threads_.state(t).delta != threads_.state(t).lambda; }
  // How many places the store, the fence, the read under way (if it is `placed`) has, and the picked candidate of a
  // compare-exchange.
  std::uint32_t begin_store(ThreadId t, const Place& place);
  std::uint32_t begin_fence(ThreadId t);
  std::uint32_t begin_spots(const Reading& reading, Sequence store);
  std::uint32_t begin_cas_spots(std::uint32_t index);
  // How many operations come after the place. The end: 0.
  std::uint32_t overtaken(std::uint32_t number) const { return spots_->spots[choices_[number]].overtaken; }
  void choose_spot(std::uint32_t number) { spot_ = &spots_->spots[choices_[number]]; }
  // How many operations the one that was committed last has overtaken. Asked after each, if at all.
  std::uint32_t take_overtaken() { return std::exchange(overtaken_, 0u); }
  // Did what t has to follow in S overtake others, so that it may need an early place as well?
  bool moves_on(ThreadId t) const { return threads_.state(t).lambda % TotalOrder::kGap != 0; }
  // Of other locations than the operation's own: what real memory is to hold now, because a store there has been put
  // before others. To be asked after a fence, store or update for which a place was chosen.
  std::span<const Rewritten> take_rewritten() { return {rewritten_, std::exchange(rewritten_count_, 0u)}; }

  // --- plain accesses of memory that may hold atomics.
  bool has_location(Address address, std::uint64_t size);
  // A cheap filter for it: when it says no, there is none.
  bool may_have_location(Address address, std::uint32_t size) const {
    return table_.may_overlap(address, size);
  }
  // A plain read: reads real memory and binds t to the newest store; nothing is acquired.
  void plain_read(ThreadId t, Address address, std::uint64_t size);
  // A plain write: whatever atomics were there are initialised anew by the next atomic access.
  void plain_write(ThreadId t, Address address, std::uint64_t size);
  // The memory is gone (freed) or something else now.
  void drop_range(Address begin, Address end);

  // --- what happened.
  // Was anything dropped that could otherwise still have been read?
  bool pruned() const { return pruned_; }
  // Was a place in S left out because too little was known of what is there?
  bool refused_places() const { return overtaking_.has_refused(); }
  // Did the last access fall back to real memory because of overlapping sizes?
  bool latest_only() const { return pending_.location != nullptr && pending_.location->latest_only; }
  // Which location the last access was of: memory that starts anew gets another number.
  std::uint32_t last_location() const { return pending_.location != nullptr ? pending_.location->number : 0; }

  // --- for strategies (queries.cpp). Stores are named by ChoiceKey::store(writer, ordinal).
  // The store that t has made last.
  ChoiceKey last_store(ThreadId t) const { return ChoiceKey::store(t, threads_.state(t).stores - 1); }
  // Of the read under way: does one candidate come before the other in modification order?
  bool is_before(const Candidate& a, const Candidate& b) const {
    return pending_.location->is_before(a.store, b.store);
  }
  // A store that was forgotten, or that is the initial one, comes before all.
  bool is_before(ChoiceKey a, const Candidate& b) const;
  // Does `a` come before `b` in the modification order of the location with this number? Where nothing orders
  // them: was it executed before? Forgotten stores come before all others.
  bool precedes(const Place& place, std::uint32_t number, ChoiceKey a, ChoiceKey b) const;

  // Where each recorded store came in its location's modification order, in one total order that agrees with
  // all that was observed. Ends the execution: only reset() may follow.
  std::span<const MoPosition> modification_order_positions();

  // Memory of the model's whose contents nobody will read before they are written.
  AddressRange spare_memory() const {
    return AddressRange::between(arena_.unused_begin(), arena_.unused_end());
  }
  std::size_t memory_used() const { return arena_.used(); }
  std::size_t memory_mapped() const { return arena_.mapped(); }
  std::uint32_t location_count() const { return table_.count(); }

 private:
  // The latest access, and a compare-exchange under way.
  struct Pending {
    Location* location = nullptr;
    bool is_cas = false;
    std::uint32_t count = 0;  // in candidates_
    Reading success;
    Reading failure;
  };

  Location& locate(const Place& place) {
    Location* x = table_.find(place.address, place.size);
    if (x != nullptr && !x->latest_only && x->store(x->newest).value == place.memory) return *x;
    return locate_slowly(x, place);
  }
  Location& locate_slowly(Location* x, const Place& place);
  Location& create(Address address, std::uint8_t size, const Value& initial);
  Location& collapse_line(const Place& place);
  void drop(Location* x);

  // Has t, whose accessor it is, accessed the newest store, or does its write happen before t? (A cheap test
  // that may miss some.)
  [[gnu::always_inline]] bool knows_newest(const Location& x, ThreadId t, const Accessor* accessor) const {
    const Store& newest = x.store(x.newest);
    if (newest.writer == kNoThread || threads_.state(t).clock[index_of(newest.writer)] >= newest.epoch)
      return true;
    return accessor != nullptr && accessor->history.last.store == x.newest;
  }
  // Are all other stores mo-before the newest, and is t bound by the newest? Then there is nothing to
  // compute.
  [[gnu::always_inline]] bool is_settled(const Location& x, ThreadId t, const Accessor* accessor) const {
    return x.has_single_maximum() &&
           (!model_.reads_old_stores || x.latest_only || knows_newest(x, t, accessor));
  }
  // Where there is one chain of updates only its end can be read, whatever t knows.
  [[gnu::always_inline]] bool is_settled_update(const Location& x, ThreadId t,
                                                const Accessor* accessor) const {
    return x.has_single_maximum() && (x.has_single_tail() || is_settled(x, t, accessor));
  }
  [[gnu::always_inline]] static Candidate candidate_of(const Location& x, Sequence s, ReadOutcome outcome) {
    const Store& store = x.store(s);
    return {store.value, s, store.ordinal, store.event, store.writer, outcome, s == x.newest};
  }
  bool is_short(const Location& x, ThreadId t, MemoryOrder order) const {
    const ThreadState& s = threads_.state(t);
    return Bounds::are_in_a_word(x, threads_, s, is_seq_cst(order), model_) &&
           !(is_seq_cst(order) && may_overtake(x, s));
  }
  // May a seq_cst read of the store enter S elsewhere than at the end? It is after the store, if that is seq_cst.
  [[gnu::always_inline]] static bool may_overtake(const ThreadState& s, const Store& store) {
    return s.delta != s.lambda || (store.delta != store.seq_time && store.delta > s.lambda);
  }
  // And of any store of x?
  [[gnu::always_inline]] static bool may_overtake(const Location& x, const ThreadState& s) {
    return s.delta != s.lambda || x.delta > s.lambda;
  }
  // A read may see every store that is not mo-before a bound; an update only the last of a chain of updates,
  // because no store comes between it and what it reads ([atomics.order]p10).
  template <bool kShort>
  [[gnu::always_inline]] Reading begin_read(Reading reading, bool updates) {
    Location& x = *reading.location;
    pending_.location = &x;
    pending_.is_cas = false;
    if (!kShort && is_seq_cst(reading.order) && may_overtake(x, threads_.state(reading.thread)))
      return begin_placed_read(reading, updates);
    if (reading.settled) return reading;
    if (!kShort && (x.latest_only || !is_short(x, reading.thread, reading.order)))
      return begin_long_read(reading, updates);
    const WordBounds bounds =
        Bounds::in_a_word(x, threads_.state(reading.thread), reading.accessor, is_seq_cst(reading.order));
    reading.known = bounds.known;
    reading.ages = newest_at_top(x, x.live[0] & ~bounds.excluded & (updates ? x.tails[0] : ~0ull));
    reading.count = count_bits(reading.ages);
    return reading;
  }
  Reading begin_long_read(Reading reading, bool updates);
  Reading begin_placed_read(Reading reading, bool updates);
  std::uint32_t digest_of_list(const Reading& reading) const;
  static std::uint32_t digest_of_stores(const Location& x, std::uint64_t h, std::uint32_t count) {
    h ^= ((static_cast<std::uint64_t>(count) << 32) + x.end) * 0xc4ceb9fe1a85ec53ull;
    return static_cast<std::uint32_t>((h * 0x9e3779b97f4a7c15ull) >> 32);
  }
  [[gnu::always_inline]] void find_bounds(Bounds& bounds, Location& x, ThreadId t, MemoryOrder order,
                                          bool writes, const Accessor* own = nullptr) {
    if (x.latest_only) {
      bounds.set_to_all(x);
    } else {
      bounds.compute(x, threads_, {t, is_seq_cst(order), writes}, model_, own);
    }
  }
  void add_candidate(const Location& x, Sequence s, ReadOutcome outcome);
  void clear_candidates(const Location& x, std::uint32_t per_store);
  // Orders what is read after what t knows of. Answers t's accessor.
  template <bool kShort>
  [[gnu::always_inline]] Accessor& commit_read(const Reading& reading, Sequence read) {
    Location& x = *reading.location;
    if (!reading.settled) {
      const std::uint64_t known = reading.known;  // whose address is given away
      order_.constrain_read(x, !kShort && reading.all != nullptr ? reading.all : &known, read);
    }
    Accessor& accessor =
        kShort || reading.accessor != nullptr ? *reading.accessor : order_.accessor(x, reading.thread);
    accessor.lessons = threads_.state(reading.thread).lessons;  // before it learns from what it reads
    return accessor;
  }
  template <bool kShort>
  const Store& finish_load(const Reading& reading, Sequence read);
  template <bool kShort>
  Value finish_update(const Reading& reading, Sequence read, const Value& value, EventId event);
  // Synchronisation by a read (Fig. 7).
  [[gnu::always_inline]] void learn(ThreadId t, const Store& store, MemoryOrder order) {
    is_acquire(order) ? threads_.acquire(t, store.message, store.lambda)
                      : threads_.acquire_at_next_fence(t, store.message, store.lambda);
  }
  // t has accessed the store.
  [[gnu::always_inline]] void record(Location& x, Accessor& accessor, ThreadId t, Sequence store) {
    const ThreadState& s = threads_.state(t);
    if (accessor.history.last.time < s.risen) [[unlikely]]
      record_after_fence(x, accessor, t, store);
    order_.record_access(x, accessor.history, s.clock[index_of(t)], store);
  }
  // A seq_cst load comes to the end of S; one that repeats another.
  [[gnu::noinline]] void enter_load(Location& x, ThreadId t, Sequence read);
  [[gnu::noinline]] bool repeat_load(const Location& x, ThreadState& s);
  // The new store s, by t, whose accessor it is. Its message is the caller's to write, and then its labels.
  [[gnu::always_inline]] Store& describe(Location& x, Accessor& accessor, Sequence s, ThreadId t,
                                         const Value& value, EventId event, bool updates) {
    ThreadState& writer = threads_.state(t);
    Store& store = x.store(s);
    store.value = value;
    store.epoch = writer.clock[index_of(t)];
    store.ordinal = writer.stores++;
    store.step = ++steps_;
    store.event = event;
    store.writer = t;
    store.updates = updates;
    record(x, accessor, t, s);
    return store;
  }
  // The labels of the store s that is described, and its place in S. What an update has read is `source`, else null.
  [[gnu::always_inline]] void enter_store(Location& x, Store& store, Sequence s, ThreadId t,
                                          MemoryOrder order, const Store* source) {
    ThreadState& writer = threads_.state(t);
    if (is_seq_cst(order)) {
      store.lambda = writer.lambda;  // it has acquired what it has read
      const SeqTime time = total_order_.append(x, store.step, 0);
      if (writer.read_back_count != 0) [[unlikely]]
        drain(t, time, nullptr);
      order_.record_at_end(x, time, total_order_.last_fence(), s);
      ThreadClocks::entered(writer, time);
      store.seq_time = store.delta = time;
    } else if ((writer.delta | (source != nullptr ? source->delta : 0)) == 0) {
      store.seq_time = store.delta = store.lambda = 0;
    } else {
      label(x, store, t, order, source);
    }
  }
  void label(Location& x, Store& store, ThreadId t, MemoryOrder order, const Store* source);

  // overtaking_commits.cpp: operations that may enter S before others, and loads that read back.
  SpotList& spot_list(std::uint32_t number);
  std::uint32_t select(SpotList& list, std::uint64_t stores);
  std::uint64_t find_spots(Reading& reading, std::uint32_t number, Overtaking::Kind kind,
                           const std::uint64_t* known, std::uint64_t excluded);
  Spot take_spot(const Reading& reading, Sequence read);
  void put_below(Location& x, std::uint64_t stores, std::uint64_t above);
  void put_others_below(Location& x, std::uint64_t stores, std::uint64_t above);
  void enter_early(Location& x, const Spot& spot, Sequence store, std::uintptr_t what);
  void enter_store_early(Location& x, ThreadId t, Sequence s, const Spot& spot);
  const Store& finish_placed_load(const Reading& reading, Sequence read);
  Value finish_placed_update(const Reading& reading, Sequence read, const Value& value, EventId event);
  Value store_early(ThreadId t, Location& x, const Value& value, EventId event, const Spot& spot);
  void fence_early(ThreadId t, const Spot& spot);
  bool add_read_back(const Location& x, ThreadId t, const Store& store);
  void bind_others(Location& x, ThreadId t, SeqTime time);
  bool read_back(Location& x, ThreadId t, const Store& store);
  void drain(ThreadId t, SeqTime time, const Spot* spot);
  void record_after_fence(Location& x, Accessor& accessor, ThreadId t, Sequence store);

  void ensure_room(Location& x) {
    if (x.end - x.first == x.capacity) make_room(x);
  }
  void limit_window(Location& x) {
    if (x.end - x.first > window_ || x.latest_only) trim(x);
  }
  void make_room(Location& x);
  void trim(Location& x);
  void prune_conservatively(Location& x);
  void prune_aggressively(Location& x);
  void keep_partial_blocks(const Location& x, std::uint64_t* dropped);

  Arena arena_;
  ViewPool views_;
  ThreadClocks threads_;
  LocationTable table_;
  ModificationOrder order_;
  TotalOrder total_order_;
  Overtaking overtaking_;
  Bounds bounds_;
  Bounds failure_bounds_;
  Options options_;
  Model model_;
  std::uint32_t window_ = 0;  // stores per location; no limit: 0xffffffff
  std::uint32_t steps_ = 0;
  std::uint32_t locations_made_ = 0;
  bool pruned_ = false;
  Pending pending_;
  // The places in S that can be chosen, as indices of a list, and the one that was chosen; null: the end, or none.
  SpotList* spots_ = nullptr;
  const Spot* spot_ = nullptr;
  SpotList* lists_ = nullptr;  // of a read or its success; of its failure
  std::uint8_t choices_[SpotList::kMost];
  Rewritten* rewritten_ = nullptr;
  std::uint32_t rewritten_count_ = 0;
  std::uint32_t overtaken_ = 0;
  Candidate* candidates_ = nullptr;
  std::uint32_t candidate_capacity_ = 0;
};

}  // namespace heddle::memory

#include "runtime/memory/short_ways.h"
