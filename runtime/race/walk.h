// One access on its way over the words that it touches: computes the steps that the memo does not know, and
// keeps the first race that it meets. Internal to the room.
#pragma once

#include "runtime/race/race_detector.h"

namespace heddle::race {

constexpr AccessKind kind_of(std::uint64_t record) {
  using namespace record_bits;
  if ((record & kAtomic) == 0) return (record & kWrite) != 0 ? AccessKind::kWrite : AccessKind::kRead;
  return (record & kWrite) != 0 ? AccessKind::kAtomicWrite : AccessKind::kAtomicRead;
}

// Without the instruction, which not every x86-64 has, the compiler would call its support library.
constexpr std::uint64_t count_bits(std::uint64_t bytes) {
  std::uint64_t count = 0;
  for (; bytes != 0; bytes &= bytes - 1) ++count;
  return count;
}

// What a record tells of its access of the word at `word`.
template <typename Record>
RaceAccess describe(const Record& record, Address word) {
  using namespace record_bits;
  RaceAccess access;
  const auto bytes = static_cast<std::uint32_t>(record.bits & kMask);
  access.address = word + static_cast<Address>(__builtin_ctz(bytes));
  access.size = count_bits(bytes);
  access.time = time_of(record.bits);
  access.thread = thread_of(record.bits);
  access.kind = kind_of(record.bits);
  access.is_volatile = (record.bits & (kVolatile | kAtomic)) == (kVolatile | kAtomic);
  access.deed = deed_of(record.bits);
  if constexpr (Record::kHasSite) {
    const std::uint32_t start = record.site.size_and_start >> kSizeBits;
    if (start != kSomewhere) access.address = word + start - kStartBias;
    access.size = record.site.size_and_start & kMaxSiteSize;
    access.pc = record.site.pc;
    access.stack = record.site.stack;
    access.event = record.site.event;
  }
  return access;
}

// Computes a step, and notes it in the memo's row (none if that is kRows) unless it found a race, which is to
// be found again by others. A precise step notes its own place and is nobody else's; that nothing changes
// holds for all.
template <typename Record>
[[gnu::always_inline]] inline Step<Record> RaceDetector::take_step(StateTable<Record>& states, StateId from,
                                                                   Record access, std::uint32_t row) {
  const Step<Record> step = advance(states, from, access, clock_);
  if (step.racing_bytes != 0 || row >= kRows) return step;
  if (step.to != from && (Record::kHasSite || is_owned(from))) return step;
  memo_of(row, from) = {stamp_ | from, step.to, 0};
  if (step.to == from && is_plain(row)) still_at(row) = stamp_ | from;
  return step;
}

// The state of a chunk that nobody has touched since its memory was allocated, if it was.
template <typename Record>
StateId RaceDetector::untouched_state(StateTable<Record>& states, Address address) {
  const PreciseRecord* const allocation = untouched_.find(address);
  if (__builtin_expect(allocation == nullptr, 1)) return kEmpty;
  return allocated_state(states, *allocation);
}

template <typename Record>
StateId RaceDetector::allocated_state(StateTable<Record>& states, const PreciseRecord& allocation) {
  states.draft()->bits = allocation.bits;
  if constexpr (Record::kHasSite) states.draft()->site = allocation.site;
  const StateId state = states.commit(1);
  states.share(state);
  return state;
}

template <typename Record>
void RaceDetector::register_chunk(StateTable<Record>& states, StateId* chunk) {
  shadow_.register_unfilled(chunk);
  Shadow::fill(chunk, Shadow::kChunkCells, untouched_state(states, Shadow::address_of(chunk)));
}

template <typename Record>
class RaceDetector::Walk {
 public:
  Walk(RaceDetector& detector, StateTable<Record>& states, const Access& access)
      : detector_(detector), states_(states), access_(access) {}

  // Steps word by word; for scalar accesses.
  const Race* scalar() {
    step_bytes(access_.address, access_.address + access_.size);
    return raced_ ? &detector_.race_ : nullptr;
  }

  // Steps partial words at the ends one by one and those between in runs of equal cells. Virgin chunks more
  // than `marked` bytes behind the begin stay virgin.
  const Race* range(std::uint64_t marked) {
    const Address end = access_.address + access_.size;
    const Address first = (access_.address + 7) & ~Address{7};
    const Address last = end & ~Address{7};
    if (access_.size <= kMaxScalar) return scalar();  // its records tell where it began, word by word
    step_bytes(access_.address, first);
    step_cells(first, last, marked);
    step_bytes(last, end);
    return raced_ ? &detector_.race_ : nullptr;
  }

 private:
  static constexpr bool kPrecise = Record::kHasSite;
  static constexpr std::uint64_t kMaxScalar = 16;

  void step_bytes(Address begin, Address end) {
    while (begin < end) {
      const Address word = begin & ~Address{7};
      const Address stop = end < word + 8 ? end : word + 8;
      step_word(word, static_cast<std::uint32_t>(begin - word), static_cast<std::uint32_t>(stop - begin));
      begin = stop;
    }
  }

  void step_word(Address word, std::uint32_t offset, std::uint32_t size) {
    collect_if_needed();
    StateId* const cell = Shadow::cell_of(word);
    if (*cell == kVirgin) detector_.register_chunk(states_, Shadow::chunk_of(cell));
    *cell = next_state(*cell, word, offset, size);
  }

  void step_cells(Address begin, Address end, std::uint64_t marked) {
    Shadow& shadow = detector_.shadow_;
    StateId* cell = Shadow::cell_of(begin);
    StateId* const stop = cell + (end - begin) / 8;
    StateId* const last_marked = marked < end - begin ? cell + marked / 8 : stop;
    const auto word_of = [&](const StateId* c) { return end - static_cast<Address>(stop - c) * 8; };
    while (cell < stop) {
      collect_if_needed();
      if (cell >= last_marked && (cell = shadow.skip_virgin(cell, stop)) == stop) break;
      const auto left = static_cast<std::size_t>(stop - cell);
      if (*cell != kVirgin) {
        const StateId from = *cell;
        cell += Shadow::replace_run(cell, left, from, next_state(from, word_of(cell), 0, 8));
      } else if (Shadow::is_chunk_begin(cell) && left >= Shadow::kChunkCells) {
        shadow.register_unfilled(cell);
        const StateId from = detector_.untouched_state(states_, word_of(cell));
        Shadow::fill(cell, Shadow::kChunkCells, next_state(from, word_of(cell), 0, 8));
        cell += Shadow::kChunkCells;
      } else {
        detector_.register_chunk(states_, Shadow::chunk_of(cell));
      }
    }
  }

  // The next state of a word in state `from`, of which `size` bytes from `offset` are accessed.
  StateId next_state(StateId from, Address word, std::uint32_t offset, std::uint32_t size) {
    const std::uint32_t row = row_for(offset, size);
    if (row < kRows) {
      Memo& memo = detector_.memo_of(row, from);
      if (memo.key == (detector_.stamp_ | from)) {
        if (memo.to == from && is_plain(row)) detector_.still_at(row) = memo.key;
        if (memo.to != from) detector_.note_repeated(memo);
        return memo.to;
      }
    }
    const Record access = record_of(word, bytes_between(offset, offset + size));
    const Step<Record> step = detector_.take_step(states_, from, access, row);
    if (__builtin_expect(step.racing_bytes != 0, 0)) {
      if (!raced_) detector_.tell(access_, describe(step.previous, word), step.racing_bytes, word);
      raced_ = true;
    }
    // Runs of words get into it at once.
    if (!kPrecise && access_.size > kMaxScalar && !is_owned(step.to)) states_.share(step.to);
    return step.to;
  }

  // The memo's row, or kRows for what has none: a free, and pieces of accesses of other sizes than 1, 2, 4
  // and 8.
  std::uint32_t row_for(std::uint32_t offset, std::uint32_t size) const {
    if ((access_.shape & record_bits::kFree) != 0 || (size & (size - 1)) != 0) return kRows;
    return row_of(access_.op, size, offset);
  }

  Record record_of(Address word, std::uint64_t bytes) const {
    Record record = {};
    record.bits = detector_.epoch_ | access_.shape | bytes;
    if constexpr (kPrecise) {
      const bool is_range = access_.size > kMaxScalar;
      const auto start =
          is_range ? kSomewhere : static_cast<std::uint32_t>(access_.address - word + kStartBias);
      record.site = {access_.pc, access_.stack, pack_size(access_.size, start), detector_.event_};
    }
    return record;
  }

  void collect_if_needed() {
    if (states_.wants_collection()) detector_.collect();
  }

  RaceDetector& detector_;
  StateTable<Record>& states_;
  const Access& access_;
  bool raced_ = false;
};

}  // namespace heddle::race
