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
//   load     candidates = readable_load(t, place, order);     pick one; commit_load(index)
//   update   candidates = readable_update(t, place, order);   pick one; commit_update(index, value, event)
//   CAS      candidates = readable_cas(t, place, {…});        pick one; its `outcome` says which commit
//   store    store(t, place, order, value, event)
//   fence    fence(t, order)
// Candidates are in the order of execution, newest first; there is always at least one, and exactly one of a
// load's or update's is `newest`. Where only the picked one matters, begin_load and begin_update count them
// and candidate(index) makes that one. A commit must follow before anything else is asked. Each commit and
// store returns what real memory must hold afterwards: the value of the last executed mo-maximal store, so
// that uninstrumented code reads something sane. Note that a load can change it, by deciding which of two
// stores came last.
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
  std::span<const Candidate> readable_load(ThreadId t, const Place& place, MemoryOrder order);
  std::span<const Candidate> readable_update(ThreadId t, const Place& place, MemoryOrder order);
  std::span<const Candidate> readable_cas(ThreadId t, const Place& place, const CasRequest& request);
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
    pending_.ready = false;
    found.accessor->lessons = threads_.state(t).lessons;
    const Message& message = x->store(read).message;
    if (message) learn(t, message, order);
    Store& store =
        fill(*x, *found.accessor, ModificationOrder::append_to_maximal(*x, read), t, order, value, kNoEvent);
    store.message = threads_.update_message(t, message, order);
    limit_window(*x);
    return true;
  }
  // A load, begun and committed in one without a candidate being made: where there are several,
  // draw(location, ages, count) picks a bit of `ages`, which are the candidates as newest_at_top has them.
  // Answers the store that is read. REQUIRES: found, reads_in_a_word().
  bool reads_in_a_word(ThreadId t, const Found& found, MemoryOrder order) const {
    return Bounds::are_in_a_word(*found.location, threads_, threads_.state(t), is_seq_cst(order), model_);
  }
  template <typename Draw>
  [[gnu::always_inline]] const Store& load_drawn(ThreadId t, const Found& found, MemoryOrder order,
                                                 Draw draw) {
    Location& x = *found.location;
    const Sequence read = read_drawn(t, found, order, ~0ull, is_settled(x, t, found.accessor), draw);
    order_.record_access(x, found.accessor->history, threads_.time(t), read);
    if (is_seq_cst(order)) order_.record_access(x, x.seq_cst, threads_.fence_count(), read);
    const Store& store = x.store(read);
    learn(t, store.message, order);
    return store;
  }
  // The same of an update. REQUIRES: has_room().
  static bool has_room(const Found& found) {
    return found.location->end - found.location->first != found.location->capacity;
  }
  template <typename Draw>
  [[gnu::always_inline]] const Store& begin_drawn_update(ThreadId t, const Found& found, MemoryOrder order,
                                                         Draw draw) {
    const Location& x = *found.location;
    const bool settled = x.has_single_maximum() && (x.has_single_tail() || is_settled(x, t, found.accessor));
    const Sequence read = read_drawn(t, found, order, x.tails[0], settled, draw);
    const Store& store = x.store(read);
    learn(t, store.message, order);
    return store;
  }
  // The rest of such an update. Answers what real memory is to hold.
  Value finish_drawn_update(ThreadId t, const Found& found, MemoryOrder order, const Store& read,
                            const Value& value);
  // What real memory is to hold.
  static const Value& newest_value(const Found& found) {
    return found.location->store(found.location->newest).value;
  }
  static std::uint32_t digest_of(const Location& x, std::uint64_t ages, std::uint32_t count) {
    // Which stores there are follows from how many there have been and which of the last are on offer.
    return digest_of_stores(x, ages * 0x9e3779b97f4a7c15ull, count);
  }
  // How many candidates there are; candidate() and candidates() make them as they are wanted.
  std::uint32_t begin_load(ThreadId t, const Place& place, MemoryOrder order, const Found& found = {}) {
    Location& x = found ? *found.location : locate(place);
    Accessor* accessor = found ? found.accessor : ModificationOrder::find_accessor(x, t);
    pending_ = {&x, t, order, order, false, true, is_settled(x, t, accessor), false, 1, 0, accessor};
    if (pending_.settled) return 1;
    find_bounds(bounds_, x, t, order, false, accessor);
    return begin_read(x, bounds_, false);
  }
  std::uint32_t begin_update(ThreadId t, const Place& place, MemoryOrder order, const Found& found = {});
  Candidate candidate(std::uint32_t index) const {
    if (!pending_.settled || pending_.listed) return candidate_among(index);
    return candidate_of(*pending_.location, pending_.location->newest, ReadOutcome::kRead);
  }
  std::span<const Candidate> candidates();
  // A hash of the candidates of a begun read, cheap: equal in equal executions. To be asked before
  // candidates().
  std::uint32_t candidates_digest() const;
  Value commit_load(const Candidate& c) {
    HEDDLE_CHECK(pending_.ready && c.outcome != ReadOutcome::kCasSuccess);
    pending_.ready = false;
    Location& x = *pending_.location;
    const bool failed = c.outcome != ReadOutcome::kRead;
    commit_read(x, c.store, failed ? pending_.failure : pending_.order,
                failed && pending_.failure_bounds ? failure_bounds_ : bounds_, false);
    return x.store(x.newest).value;
  }
  Value commit_load(std::uint32_t index) { return commit_load(checked_candidate(index)); }
  Value commit_update(const Candidate& picked, const Value& value, EventId event = kNoEvent);
  Value commit_update(std::uint32_t index, const Value& value, EventId event = kNoEvent) {
    return commit_update(checked_candidate(index), value, event);
  }
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
  struct Pending {
    Location* location = nullptr;
    ThreadId thread = kNoThread;
    MemoryOrder order = MemoryOrder::kRelaxed;  // of a load or of success
    MemoryOrder failure = MemoryOrder::kRelaxed;
    bool failure_bounds = false;  // failure has bounds of its own
    bool ready = false;
    bool settled = false;  // only the newest can be read, and all others are before it
    bool listed = false;   // the candidates are in candidates_
    std::uint32_t count = 0;
    std::uint64_t ages = 0;        // not settled, not listed: the candidates as newest_at_top has them
    Accessor* accessor = nullptr;  // the thread's, if it has accessed the location before
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
  bool knows_newest(const Location& x, ThreadId t, const Accessor* accessor) const {
    const Store& newest = x.store(x.newest);
    if (newest.writer == kNoThread || threads_.state(t).clock[index_of(newest.writer)] >= newest.epoch)
      return true;
    return accessor != nullptr && accessor->history.last.store == x.newest;
  }
  // Are all other stores mo-before the newest, and is t bound by the newest? Then there is nothing to
  // compute.
  bool is_settled(const Location& x, ThreadId t, const Accessor* accessor) const {
    return x.has_single_maximum() &&
           (!model_.reads_old_stores || x.latest_only || knows_newest(x, t, accessor));
  }
  static Candidate candidate_of(const Location& x, Sequence s, ReadOutcome outcome) {
    const Store& store = x.store(s);
    return {store.value, s, store.ordinal, store.event, store.writer, outcome, s == x.newest};
  }
  Candidate candidate_among(std::uint32_t index) const {
    if (pending_.listed) return candidates_[index];
    const Location& x = *pending_.location;
    return candidate_of(x, x.end - x.capacity + select_from_top(pending_.ages, index), ReadOutcome::kRead);
  }
  Candidate checked_candidate(std::uint32_t index) const {
    HEDDLE_CHECK(pending_.ready && index < pending_.count);
    return candidate(index);
  }
  // A read may see every store that is not mo-before a bound; an update only the last of a chain of updates,
  // because no store comes between it and what it reads ([atomics.order]p10).
  std::uint32_t begin_read(Location& x, const Bounds& bounds, bool tails_only) {
    if (x.words != 1) return list_read(x, bounds, tails_only);
    pending_.ages = newest_at_top(x, x.live[0] & ~bounds.excluded()[0] & (tails_only ? x.tails[0] : ~0ull));
    return pending_.count = count_bits(pending_.ages);
  }
  std::uint32_t list_read(Location& x, const Bounds& bounds, bool tails_only);
  static std::uint32_t digest_of_stores(const Location& x, std::uint64_t h, std::uint32_t count) {
    h ^= ((static_cast<std::uint64_t>(count) << 32) + x.end) * 0xc4ceb9fe1a85ec53ull;
    return static_cast<std::uint32_t>((h * 0x9e3779b97f4a7c15ull) >> 32);
  }
  // Which of the stores of `allowed` is read; orders it after those that t knows of.
  template <typename Draw>
  [[gnu::always_inline]] Sequence read_drawn(ThreadId t, const Found& found, MemoryOrder order,
                                             std::uint64_t allowed, bool settled, Draw draw) {
    Location& x = *found.location;
    pending_.location = &x;
    pending_.ready = false;
    const ThreadState& s = threads_.state(t);
    Sequence read = x.newest;
    if (!settled) {
      const WordBounds bounds = Bounds::in_a_word(x, s, found.accessor, is_seq_cst(order));
      const std::uint64_t ages = newest_at_top(x, x.live[0] & ~bounds.excluded & allowed);
      const std::uint32_t count = count_bits(ages);
      const auto picked =
          count == 1 ? static_cast<std::uint32_t>(__builtin_ctzll(ages)) : draw(x, ages, count);
      read = x.end - x.capacity + picked;
      order_.constrain_read(x, &bounds.known, read);
    }
    found.accessor->lessons = s.lessons;  // before it learns from what it reads
    return read;
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
  // The read itself: modification order, what t has accessed, and synchronisation (Fig. 7).
  void commit_read(Location& x, Sequence read, MemoryOrder order, const Bounds& bounds, bool update) {
    const ThreadId t = pending_.thread;
    if (!pending_.settled) order_.constrain_read(x, bounds.known(), read);
    Accessor& accessor = pending_accessor(x, t);
    accessor.lessons = threads_.state(t).lessons;  // before it learns from what it reads
    if (!update) {
      order_.record_access(x, accessor.history, threads_.time(t), read);
      if (is_seq_cst(order) && model_.seq_cst_reads_bind) {
        order_.record_access(x, x.seq_cst, threads_.fence_count(), read);
      }
    }
    learn(t, x.store(read).message, order);
  }
  // Synchronisation by a read (Fig. 7).
  void learn(ThreadId t, const Message& message, MemoryOrder order) {
    is_acquire(order) ? threads_.acquire(t, message) : threads_.acquire_at_next_fence(t, message);
  }
  Accessor& pending_accessor(Location& x, ThreadId t) {
    return pending_.accessor != nullptr ? *pending_.accessor : order_.accessor(x, t);
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
