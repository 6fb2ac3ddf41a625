// MemoryModel: what an execution may show. For each atomic load it answers which stores the load may read,
// and it keeps the books when one has been picked. It chooses nothing, touches no memory of the program and
// makes no calls.
//
// Meaning. Operations are committed one at a time; the order of the calls is the order of execution, which
// agrees with happens-before, reads-from and the total order S of seq_cst operations. The modification order
// of a location is not tied to the order of execution: it is a set of constraints that grows (C11Tester §4).
//
// What the models differ in, each says in its own file: models/cxx20.h, models/c11tester.h, models/sc.h.
//
// How to use it, per atomic operation of thread t on a Place (address, size, what real memory holds now):
//   load     reading = begin_load(t, place, order);     pick one; commit_load(reading, store)
//   update   reading = begin_update(t, place, order);   pick one; commit_update(reading, store, value, event)
//   CAS      candidates = readable_cas(t, place, {…});  pick one; its `outcome` says which commit
//   store    store(t, place, order, value, event)
//   fence    fence(t, order)
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
#include "runtime/memory/select.h"
#include "runtime/memory/thread_clocks.h"
#include "runtime/memory/view.h"

namespace heddle::memory {

struct Options {
  ModelKind model = ModelKind::kCxx20;
  PruneKind prune = PruneKind::kWindow;
  std::uint64_t window = 0;  // kWindow: stores per location; kAggressive: stores in all; 0: default
  std::uint64_t memory_limit = 512ull << 20;  // locations stop growing beyond it
  bool record = false;                        // keep what modification_order_positions() needs

  static Options from(const RunSpec& spec) {
    return {spec.model, spec.prune, spec.prune_window, spec.memory_limit,
            spec.record_events != 0 || spec.verify != 0};
  }
};

struct Place {
  Address address = 0;
  std::uint8_t size = 0;  // 1, 2, 4, 8 or 16
  Value memory;           // what real memory holds
};

// What picking a candidate means.
enum class ReadOutcome : std::uint8_t {
  kRead = 0,     // a load: commit_load; an update: commit_update
  kCasSuccess,   // commit_update
  kCasFailure,   // commit_load, with the failure order
  kCasSpurious,  // commit_load: a weak CAS that fails though the values are equal
};

struct Candidate {
  Value value;
  Sequence store = 0;         // within the location, until the commit
  std::uint32_t ordinal = 0;  // with `writer`: ChoiceKey::store(writer, ordinal)
  EventId event = kNoEvent;
  ThreadId writer = kNoThread;  // kNoThread: the initial store
  ReadOutcome outcome = ReadOutcome::kRead;
  bool newest = false;  // what real memory holds
};
static_assert(sizeof(Candidate) == 32);

struct CasRequest {
  MemoryOrder success = MemoryOrder::kSeqCst;
  MemoryOrder failure = MemoryOrder::kSeqCst;
  Value expected;
  bool weak = false;
};

// What a mutex, barrier, … carries from those who release it to those who acquire it. All zero is valid and
// says nothing. Must be forgotten (zeroed) when the model is reset.
struct SyncClock {
  Message message;
};

// A read under way: the stores that it may read, and what its commit needs. It lives with the caller, in
// registers where the way is short.
struct Reading {
  Location* location = nullptr;
  Accessor* accessor = nullptr;  // the thread's, if it has accessed the location before
  ThreadId thread = kNoThread;
  MemoryOrder order = MemoryOrder::kRelaxed;
  bool settled = false;  // only the newest can be read, and all others are before it
  bool listed = false;   // there are more than fit a word: they are in the model's list
  std::uint32_t count = 1;
  std::uint64_t ages = 0;              // not settled, not listed: the candidates as newest_at_top has them
  std::uint64_t known = 0;             // not settled: the stores that bind the thread, where they fit a word
  const std::uint64_t* all = nullptr;  // otherwise these
};

// The location of a place, and what a thread has accessed of it, where both are there and nothing is unusual
// about them. Otherwise null, and begin_load and its like find out.
struct Found {
  Location* location = nullptr;
  Accessor* accessor = nullptr;
  explicit operator bool() const { return accessor != nullptr; }
};

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
  void release(ThreadId t, SyncClock& object) { threads_.release_into(t, object.message); }
  void acquire(ThreadId t, const SyncClock& object) { threads_.acquire(t, object.message); }
  // Who made the latest release into the object, if that does not happen before what `t` does next; kNoThread
  // if it does, and where several threads' releases were joined.
  ThreadId unknown_owner(ThreadId t, const SyncClock& object) const {
    const Message& m = object.message;
    return m && m.has_owner() && !threads_.knows(t, m) ? m.owner : kNoThread;
  }
  void forget(SyncClock& object) { views_.replace(object.message, Message{}); }

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
  [[gnu::always_inline]] bool load_repeats(ThreadId t, const Found& found, MemoryOrder order) const {
    const Location& x = *found.location;
    if (found.accessor->history.last.store != x.newest || !x.has_single_maximum()) return false;
    if (is_seq_cst(order) && x.seq_cst.last.store != x.newest) return false;
    return threads_.knows(t, x.store(x.newest).message);
  }
  // An update that can only read the newest store, begun and committed in one, without a candidate being
  // made of it. Real memory is to hold `value` then. False: nothing has changed; may say so where it need
  // not. REQUIRES: found.
  [[gnu::always_inline]] bool update_newest(ThreadId t, const Found& found, MemoryOrder order,
                                            const Value& value) {
    Location* const x = found.location;
    if (x->words != 1 || x->end - x->first == x->capacity || !x->has_single_maximum()) return false;
    if (!x->has_single_tail() && !knows_newest(*x, t, found.accessor)) return false;
    const Sequence read = x->newest;
    pending_.location = x;
    pending_.is_cas = false;
    found.accessor->lessons = threads_.state(t).lessons;
    const Message& message = x->store(read).message;
    if (message) learn(t, message, order);
    Store& store =
        fill(*x, *found.accessor, ModificationOrder::append_to_maximal(*x, read), t, order, value, kNoEvent);
    store.message = threads_.update_message(t, message, order);
    limit_window(*x);
    return true;
  }
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
    return Bounds::are_in_a_word(x, threads_, threads_.state(t), is_seq_cst(order), model_);
  }
  // A read may see every store that is not mo-before a bound; an update only the last of a chain of updates,
  // because no store comes between it and what it reads ([atomics.order]p10).
  template <bool kShort>
  [[gnu::always_inline]] Reading begin_read(Reading reading, bool updates) {
    Location& x = *reading.location;
    pending_.location = &x;
    pending_.is_cas = false;
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
  [[gnu::always_inline]] const Store& finish_load(const Reading& reading, Sequence read) {
    Location& x = *reading.location;
    Accessor& accessor = commit_read<kShort>(reading, read);
    order_.record_access(x, accessor.history, threads_.time(reading.thread), read);
    if (is_seq_cst(reading.order) && (kShort || model_.seq_cst_reads_bind))
      order_.record_access(x, x.seq_cst, threads_.fence_count(), read);
    const Store& store = x.store(read);
    learn(reading.thread, store.message, reading.order);
    return store;
  }
  template <bool kShort>
  [[gnu::always_inline]] Value finish_update(const Reading& reading, Sequence read, const Value& value,
                                             EventId event) {
    Location& x = *reading.location;
    const ThreadId t = reading.thread;
    Accessor& accessor = commit_read<kShort>(reading, read);
    learn(t, x.store(read).message, reading.order);
    const Sequence s = order_.append_update(x, read);
    // Before the message is made: publishing advances the thread's time.
    Store& store = fill(x, accessor, s, t, reading.order, value, event);
    store.message = threads_.update_message(t, x.store(read).message, reading.order);
    const Value newest = x.store(x.newest).value;
    limit_window(x);
    return newest;
  }
  // Synchronisation by a read (Fig. 7).
  [[gnu::always_inline]] void learn(ThreadId t, const Message& message, MemoryOrder order) {
    is_acquire(order) ? threads_.acquire(t, message) : threads_.acquire_at_next_fence(t, message);
  }
  // The new store s, by t, whose accessor it is. Its message is the caller's to write: it is not cleared.
  [[gnu::always_inline]] Store& fill(Location& x, Accessor& accessor, Sequence s, ThreadId t,
                                     MemoryOrder order, const Value& value, EventId event) {
    ThreadState& writer = threads_.state(t);
    const std::uint32_t time = writer.clock[index_of(t)];
    Store& store = x.store(s);
    store.value = value;
    store.epoch = time;
    store.ordinal = writer.stores++;
    store.step = steps_++;
    store.event = event;
    store.writer = t;
    store.seq_cst = is_seq_cst(order);
    order_.record_access(x, accessor.history, time, s);
    if (is_seq_cst(order)) order_.record_access(x, x.seq_cst, threads_.fence_count(), s);
    return store;
  }

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
  Bounds bounds_;
  Bounds failure_bounds_;
  Options options_;
  Model model_;
  std::uint32_t window_ = 0;  // stores per location; no limit: 0xffffffff
  std::uint32_t steps_ = 0;
  std::uint32_t locations_made_ = 0;
  bool pruned_ = false;
  Pending pending_;
  Candidate* candidates_ = nullptr;
  std::uint32_t candidate_capacity_ = 0;
};

}  // namespace heddle::memory
