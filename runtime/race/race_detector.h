// The happens-before race detector: accesses and clocks in, an optional Race out. It prints nothing, chooses
// nothing and knows no fiber; the caller reports, deduplicates and suppresses.
//
// Meaning. Two accesses race when they touch a common byte, one of them writes, one of them is not atomic and
// neither happens before the other ([intro.races]p21). Never a false race; and every byte at which two
// accesses race is touched by an access that is reported. One access yields at most one Race however many
// bytes it touches. Reports after the first for a byte are a courtesy: there the later access takes the
// earlier one's place as in FastTrack.
//
// How. Each 8-byte word has a 4-byte cell in the shadow (shadow.h) that names an immutable state, a list of
// records (record.h): who accessed which bytes how, and in what epoch, as far as it can still matter. States
// are shared among words (state_table.h). An access moves its word from one state to the next (transition.h),
// and this step depends only on the state, the epoch and the access's shape. So the steps taken in this epoch
// are kept in a memo and replayed: sweeping over an array computes one. Repeated accesses are steps from a
// state to itself; the last such state of each shape is kept beside the memo, so that the hot path is a load
// of the cell and a comparison.
//
// Invariants the caller keeps:
// - One kernel thread. All tested threads are fibers of it; no call here is concurrent with another.
// - enter() before the first access, and again whenever the running thread, its time or its clock change:
//   after a switch, a release, an acquire, or when the clock's storage moves.
// - Times start at 1 and never fall. A thread's time rises with each release before its next access, so that
//   `clock.at(t) >= time` in another thread means that what t did in that epoch happens before.
// - An access that acquires is passed after its clock was joined; one that releases, before its time rises.
// - A thread id may be reused when the creator's clock covers the former life's last time; the
//   new life's times continue after it. Then equal ids still mean program order, or a join between.
// - A range is passed after the program's own memcpy or memset, so that a wild size faults there, not here.
// - Fresh memory has no history but its allocation, which is a write of all of it: on_allocate; reset_range
//   where nobody is to be told of that, and at munmap. That the memory was another's before is no race: a
//   free synchronises with the allocation that hands the memory out again ([new.delete.dataraces]).
// - on_free at free, on_end when a thread's stack ends or an object is destroyed, so that an end that races
// is
//   a race and so is an access that races with the end.
//
// Costs. 0.5 bytes of shadow for each touched byte, plus states, which are collected when enough are dead.
// reset() takes time proportional to what was touched. Fork copies page tables for touched shadow only.
#pragma once

#include <cstdint>

#include "core/base/clock_view.h"
#include "core/base/ids.h"
#include "runtime/race/race.h"
#include "runtime/race/record.h"
#include "runtime/race/shadow.h"
#include "runtime/race/state_table.h"
#include "runtime/race/transition.h"
#include "runtime/race/untouched.h"

namespace heddle::race {

class RaceDetector {
 public:
  // Constant-initialised, about 100 KB, touched as needed: meant for static storage.
  constexpr RaceDetector() = default;
  RaceDetector(const RaceDetector&) = delete;
  RaceDetector& operator=(const RaceDetector&) = delete;

  // Reserves the shadow, which a process has once. False when the address space cannot be had: another
  // runtime holds it, or `ulimit -v` or strict overcommit forbids.
  bool start(Mode mode);
  void stop();
  Mode mode() const { return mode_; }

  // Who runs now. `clock` is looked at until the next call. Cheap: a table look-up.
  void enter(ThreadId thread, std::uint32_t time, ClockView clock) {
    const Resumable& known = resumable_[index_of(thread)];
    clock_ = clock;
    epoch_ = pack_epoch(thread, time);
    use_thread(thread, known);
    use_stamp(known.epoch == epoch_ && known.stamp >= oldest_stamp_ ? known.stamp : new_stamp());
    note_resumable(thread);
  }
  // A cheap enter() for a thread that runs again. Nothing of it has changed since it ran if the times of its
  // clock have not; clocks_moved() tells of all else. False: that is not known, and enter() has to be called.
  [[gnu::always_inline]] bool resume(ThreadId thread) {
    const Resumable& known = resumable_[index_of(thread)];
    if (known.era != era_ || known.times[index_of(thread)] != time_of(known.epoch)) return false;
    clock_ = {known.times, known.width};
    epoch_ = known.epoch;
    use_thread(thread, known);
    use_stamp(known.stamp);
    return true;
  }
  // Threads were added: clocks are wider, and may be at other places.
  void clocks_moved() { ++era_; }
  // A thread's life begins, with this time. Whose slot it has knew other things.
  void thread_begins(ThreadId thread, std::uint32_t time) { resumable_[index_of(thread)].begin = time; }
  // enter() for the thread that runs, where nothing has changed but its time, because it has released.
  [[gnu::always_inline]] void enter_later(ThreadId thread, std::uint32_t time) {
    epoch_ = pack_epoch(thread, time);
    use_stamp(new_stamp());
    note_resumable(thread);
  }

  // The time that the running thread was entered with.
  std::uint32_t time() const { return time_of(epoch_); }

  // The newest event of the execution, remembered with each access in precise mode.
  void at_event(EventId event) { event_ = event; }

  // Does such an access change nothing, because this epoch has done its like before? The hot path.
  template <AccessOp kOp, std::uint32_t kSize>
  [[nodiscard, gnu::always_inline]] bool is_still(Address address) const {
    static_assert(kOp == AccessOp::kRead || kOp == AccessOp::kWrite);
    const StateId* const cell = Shadow::cell_of(address);
    const std::uint64_t still = still_of(kOp, kSize < 8 ? kSize : 8, address);
    return __builtin_expect((stamp_ | cell[0]) == still && (kSize < 16 || (stamp_ | cell[1]) == still), 1);
  }

  // is_still() after another thread has run, or of another word: as good an answer, from the memo. Takes no
  // note of disturb().
  template <AccessOp kOp, std::uint32_t kSize>
  [[nodiscard, gnu::always_inline]] bool is_still_again(Address address) {
    const std::uint32_t row = row_of(kOp, kSize < 8 ? kSize : 8, address);
    const StateId* const cell = Shadow::cell_of(address);
    const Memo& memo = memo_of(row, cell[0]);
    if (memo.key != (stamp_ | cell[0]) || memo.to != cell[0] || (kSize == 16 && cell[1] != cell[0]))
      return false;
    still_at(row) = memo.key;
    return true;
  }

  // An access of 1, 2, 4, 8 or 16 bytes at any alignment. The answer, if any, is valid until the next call.
  template <AccessOp kOp, std::uint32_t kSize>
  [[nodiscard, gnu::always_inline]] const Race* on_access(Address address, std::uint64_t pc,
                                                          StackId stack = kEmptyStack) {
    static_assert(kSize == 1 || kSize == 2 || kSize == 4 || kSize == 8 || kSize == 16);
    if constexpr (kOp == AccessOp::kRead || kOp == AccessOp::kWrite) {
      if (is_still<kOp, kSize>(address)) return nullptr;
    }
    if constexpr (kOp >= AccessOp::kAtomicRead && kSize <= 8) {
      StateId* const cell = Shadow::cell_of(address);
      if (is_owned(*cell) ? is_stepped_in_place<kOp, kSize>(address)
                          : replay_step(row_of(kOp, kSize, address), cell))
        return nullptr;
    }
    return access_slow<kOp, kSize>(address, pc, stack);
  }

  // Takes the step of a plain access where the word has a state of its own in which nothing changes but the
  // time of the thread's record: most accesses of a new epoch. False: nothing has changed.
  template <AccessOp kOp, std::uint32_t kSize>
  [[nodiscard, gnu::always_inline]] bool is_renewed(Address address) {
    static_assert((kOp == AccessOp::kRead || kOp == AccessOp::kWrite) && kSize <= 8);
    const StateId id = *Shadow::cell_of(address);
    const std::uint64_t offset = address & 7;
    if (!is_owned(id) || offset + kSize > 8) return false;
    const std::uint64_t record = epoch_ | shape_of(kOp) | ((1ull << kSize) - 1) << offset;
    if (renew_in_place(fast_.owned_records(id), record, begin_) != InPlace::kDone) return false;
    still_at(row_of(kOp, kSize, address)) = stamp_ | id;
    return true;
  }

  // Takes the step of an access where the word has a state of its own and nothing races. False: nothing has
  // changed.
  template <AccessOp kOp, std::uint32_t kSize>
  [[nodiscard, gnu::always_inline]] bool is_stepped_in_place(Address address) {
    static_assert(kSize <= 8);
    const StateId id = *Shadow::cell_of(address);  // precise ones are never owned
    const std::uint64_t offset = address & 7;
    if (!is_owned(id) || offset + kSize > 8) return false;
    const std::uint64_t record = epoch_ | shape_of(kOp) | ((1ull << kSize) - 1) << offset;
    FastRecord* const records = fast_.owned_records(id);
    if constexpr (kOp >= AccessOp::kAtomicRead) {
      return renew_in_place(records, record, begin_) != InPlace::kNone ||
             advance_in_place<kOp>(records, record, clock_) != InPlace::kNone;
    } else {
      const InPlace step = advance_in_place<kOp>(records, record, clock_);
      if (step == InPlace::kNone) return false;
      const std::uint32_t row = row_of(kOp, kSize, address);
      if (step == InPlace::kSameEpoch) memo_of(row, id) = {stamp_ | id, id, 0};
      still_at(row) = stamp_ | id;
      return true;
    }
  }

  // Until the next enter(), no access is still: before an access, enter() has to be called again. The word
  // may also be set to all ones by code that knows nothing but its address.
  void unsettle() { stamp_ = ~std::uint64_t{0}; }
  std::uint64_t* stamp_word() { return &stamp_; }

  // The running thread's next plain access, of any kind, is not still.
  void disturb() {
    for (std::uint32_t offset = 0; offset < 8; ++offset) {
      for (std::uint32_t shape = 0; shape < kPlainShapes; ++shape)
        still_at(offset * kShapes + shape) = 0;  // no stamp is 0
    }
  }

  // Has any access that is remembered written one of these bytes? An access that was covered by a later one
  // of the same kind counts through that. An allocation gives no value.
  bool is_written(Address address, std::uint32_t size) const;

  // An access whose size is known at run time: memcpy, memset, aggregates, system call buffers. At most one
  // Race, of the lowest racing byte. A megabyte costs about as much as touching half a megabyte.
  [[nodiscard]] const Race* on_range(AccessOp op, Address begin, std::uint64_t size, std::uint64_t pc,
                                     StackId stack = kEmptyStack);

  // --- storage (storage.cpp)

  // Memory is handed out: a write of all its bytes that races with none before it. Takes time proportional to
  // what has been touched of it before (untouched.h). REQUIRES: `begin` is a multiple of 8, and the bytes up
  // to the next one behind the end are nobody else's.
  void on_allocate(Address begin, std::uint64_t size, std::uint64_t pc, StackId stack = kEmptyStack);

  // Storage ends: a write of all its bytes. Parts that nobody ever touched are skipped, so that huge blocks
  // and stacks cost no more than what was used of them; not so the first kFreeMarked bytes of a block.
  static constexpr std::uint64_t kFreeMarked = 16u << 10;
  [[nodiscard]] const Race* on_free(Address begin, std::uint64_t size, std::uint64_t pc,
                                    StackId stack = kEmptyStack) {
    return on_end_of(Deed::kFree, begin, size, pc, stack);
  }
  [[nodiscard]] const Race* on_end(Address begin, std::uint64_t size, std::uint64_t pc,
                                   StackId stack = kEmptyStack) {
    return on_end_of(Deed::kEnd, begin, size, pc, stack);
  }

  // An operation on the synchronisation object that begins here.
  [[nodiscard]] const Race* on_use(Address object, std::uint64_t pc, StackId stack = kEmptyStack);

  // Forgets the history of these bytes.
  void reset_range(Address begin, std::uint64_t size);

  // Forgets everything, for the next execution: what was before happens before all that follows. enter()
  // has to follow.
  void reset();

  // Drops states that no word is in. Happens by itself when enough of them were made.
  void collect();

  // Memory of the detector's whose contents nobody will read before they are written.
  static constexpr std::uint32_t kSpareRanges = 3;
  void spare_memory(AddressRange (&ranges)[kSpareRanges]) const {
    ranges[0] = mode_ == Mode::kFast ? fast_.spare_memory() : precise_.spare_memory();
    ranges[1] = mode_ == Mode::kFast ? fast_.other_memory() : precise_.other_memory();
    ranges[2] = shadow_.spare_memory();
  }

  // Memory touched by the detector, for figures: shadow and states.
  std::uint64_t shadow_bytes() const { return shadow_.cell_count() * sizeof(StateId); }
  std::uint64_t state_bytes() const { return mode_ == Mode::kFast ? fast_.bytes() : precise_.bytes(); }

 private:
  friend struct RaceDetectorTestPeer;

  // A step taken in the epoch named by the upper half of the key, from the state in the lower half.
  struct Memo {
    std::uint64_t key;
    StateId to;
    std::uint32_t repeated;  // by another word
  };
  static constexpr std::uint32_t kWays = 16;

  // How a thread was entered last.
  struct Resumable {
    std::uint64_t epoch;
    const std::uint32_t* times;
    std::uint32_t width;
    std::uint32_t stamp;
    std::uint32_t era;    // none is of era 0
    std::uint32_t begin;  // of the thread's life
  };

  struct Access {
    Address address;
    std::uint64_t size;
    std::uint64_t pc;
    StackId stack;
    AccessOp op;
    Shape shape;
  };

  // The row of an access's shape in the memo. One that leaves its word has a row that is never filled.
  // Aligned accesses come first and together: an execution that is put back page by page writes few pages.
  static constexpr std::uint32_t row_of(AccessOp op, std::uint32_t size, Address address) {
    const auto log_size = static_cast<std::uint32_t>(__builtin_ctz(size));
    return static_cast<std::uint32_t>(address & 7) * kShapes + static_cast<std::uint32_t>(op) * 4 + log_size;
  }
  static constexpr std::uint32_t kShapes = 32;  // at least kAccessOps * 4
  static constexpr std::uint32_t kRows = kShapes * 8;
  static_assert(kAccessOps * 4 <= kShapes);
  // Plain reads and writes are the first two of the operations.
  static constexpr std::uint32_t kPlainShapes = 8;
  static constexpr bool is_plain(std::uint32_t row) { return row % kShapes < kPlainShapes; }

  // The running thread's entry of still_ for plain accesses of a shape.
  static constexpr std::uint32_t kStillThreads = 8;
  static constexpr std::uint32_t kStills = kStillThreads * kPlainShapes;  // at one place within a word
  std::uint64_t still_index(Address address, std::uint32_t shape) const {
    return (address & 7) * kStills + shape + still_base_;
  }
  std::uint64_t& still_at(std::uint32_t row) { return still_[still_index(row / kShapes, row % kShapes)]; }
  const std::uint64_t& still_of(AccessOp op, std::uint32_t size, Address address) const {
    return still_[still_index(address, row_of(op, size, 0))];
  }

  // Where a step from a state is remembered. Threads that take turns at one word have places of their own.
  Memo& memo_of(std::uint32_t row, StateId from) { return memo_[row][(from ^ way_) % kWays]; }

  // Takes a remembered step, if there is one. None is from kVirgin.
  bool replay_step(std::uint32_t row, StateId* cell) {
    const StateId from = *cell;
    Memo& memo = memo_of(row, from);
    if (memo.key != (stamp_ | from)) return false;
    if (memo.to != from) {
      *cell = memo.to;
      note_repeated(memo);
    } else if (is_plain(row)) {
      still_at(row) = memo.key;
    }
    return true;
  }

  // Only steps of the fast mode change the state.
  void note_repeated(Memo& memo) {
    if (memo.repeated == 0) fast_.share(memo.to);
    memo.repeated = 1;
  }

  std::uint32_t new_stamp() {
    return __builtin_expect(last_stamp_ == ~0u, 0) ? wrap_stamps() : ++last_stamp_;
  }
  std::uint32_t wrap_stamps();
  std::uint32_t used_stamp() const { return static_cast<std::uint32_t>(stamp_ >> 32); }
  void note_resumable(ThreadId thread) {
    resumable_[index_of(thread)] = {epoch_, clock_.times, clock_.width, used_stamp(), era_, begin_};
  }
  void use_stamp(std::uint32_t stamp) {
    stamp_ = static_cast<std::uint64_t>(stamp) << 32;
    way_ = stamp * 5;  // stamps are handed out one after the other
  }
  void use_thread(ThreadId thread, const Resumable& known) {
    begin_ = known.begin;
    still_base_ = std::uint64_t{index_of(thread) % kStillThreads} * kPlainShapes;
  }
  void forget_steps();

  template <AccessOp kOp, std::uint32_t kSize>
  const Race* access_slow(Address address, std::uint64_t pc, StackId stack);
  const Race* word_unknown(StateId* cell, std::uint32_t row, const Access& access);
  const Race* access_unknown(const Access& access);
  bool is_still(AccessOp op, Address begin, std::uint64_t size) const;
  const Race* range_unknown(AccessOp op, Address begin, std::uint64_t size, std::uint64_t pc, StackId stack);
  const Race* range_slow(const Access& access, std::uint64_t marked);
  const Race* on_end_of(Deed deed, Address begin, std::uint64_t size, std::uint64_t pc, StackId stack);
  template <typename Record>
  void register_chunk(StateTable<Record>& states, StateId* chunk);
  template <typename Record>
  StateId untouched_state(StateTable<Record>& states, Address address);
  template <typename Record>
  static StateId allocated_state(StateTable<Record>& states, const PreciseRecord& allocation);
  void register_known(Address begin, Address end);
  void fill_all(Address begin, Address end, StateId state);
  void fill_touched(Address begin, Address end, StateId state);
  void collect_if_needed();
  // The part of a range that lies in the address space; what is beyond cannot be accessed.
  static std::uint64_t clip(Address begin, std::uint64_t size) {
    const std::uint64_t room = Shadow::kAddressMask + 1 - (begin & Shadow::kAddressMask);
    return size < room ? size : room;
  }
  template <typename Record>
  Step<Record> take_step(StateTable<Record>& states, StateId from, Record access, std::uint32_t row);
  const Race* tell(const Access& access, const RaceAccess& previous, std::uint8_t racing_bytes, Address word);
  void forget_bytes(Address word, std::uint64_t bytes);

  template <typename Record>
  class Walk;  // walk.h

  alignas(64) std::uint64_t stamp_ = 0;  // of the current epoch, in the upper half
  std::uint64_t epoch_ = 0;
  std::uint64_t still_base_ = 0;  // of the running thread's entries in still_
  ClockView clock_ = {nullptr, 0};
  std::uint32_t way_ = 0;
  std::uint32_t begin_ = 0;  // of the running thread's life
  std::uint32_t last_stamp_ = 0;
  std::uint32_t oldest_stamp_ = 1;  // of steps whose states are still valid
  std::uint32_t era_ = 1;           // in which neither clocks have moved nor steps were forgotten
  Mode mode_ = Mode::kFast;
  EventId event_ = kNoEvent;
  Race race_;
  // By row, and within it by thread, so that those that take turns find theirs again (still_at): the key of a
  // step that changes nothing. It holds in the epoch that it names.
  alignas(64) std::uint64_t still_[8 * kStills] = {};
  Resumable resumable_[kMaxThreads] = {};
  alignas(64) Memo memo_[kRows][kWays] = {};
  Shadow shadow_;
  Untouched untouched_;
  // The state of words that were allocated in an epoch, by its stamp; fast mode.
  struct Allocated {
    std::uint64_t stamp;  // 0: none
    StateId state;
  };
  static constexpr std::uint32_t kAllocatedStates = 8;
  Allocated allocated_[kAllocatedStates] = {};
  StateTable<FastRecord> fast_;
  StateTable<PreciseRecord> precise_;
};

template <AccessOp kOp, std::uint32_t kSize>
[[gnu::noinline]] const Race* RaceDetector::access_slow(Address address, std::uint64_t pc, StackId stack) {
  const std::uint32_t row = row_of(kOp, kSize < 8 ? kSize : 8, address);
  StateId* const cell = Shadow::cell_of(address);
  if (replay_step(row, cell) && (kSize < 16 || replay_step(row, cell + 1))) return nullptr;
  const Access access = {address, kSize, pc, stack, kOp, shape_of(kOp)};
  if (mode_ == Mode::kFast && (address & 7) + kSize <= 8) return word_unknown(cell, row, access);
  return access_unknown(access);
}

}  // namespace heddle::race
