// The step of the detector: a word's state and an access give the word's next state and, perhaps, the record
// that the access races with. FastTrack per byte, exact: a record is dropped only where the access stands for
// it.
#pragma once

#include <cstdint>

#include "core/base/clock_view.h"
#include "runtime/race/record.h"
#include "runtime/race/state_table.h"

namespace heddle::race {

template <typename Record>
struct Step {
  StateId to = kEmpty;
  std::uint8_t racing_bytes = 0;  // where the access meets `previous`; 0: no race
  Record previous = {};
};

// Whether the remembered access happens before what a thread with this clock does now.
inline bool is_ordered(std::uint64_t record, std::uint64_t access, ClockView clock) {
  const ThreadId thread = thread_of(record);
  return thread == thread_of(access) || time_of(record) <= clock.at(thread);
}

// May the record go when `access` comes after it? One that is covered need not be kept; atomic ones of the
// first few threads are all the same, so that threads that take turns at a word find their own again
// (renew_in_place). Who races with such a record later races with the access, too.
inline bool stands_for(std::uint64_t access, std::uint64_t record) {
  using namespace record_bits;
  constexpr std::uint32_t kFewThreads = 8;
  if (!covers(access, record)) return false;
  const bool same_kind =
      (static_cast<std::uint32_t>(access ^ record) & ~static_cast<std::uint32_t>(kMask | kLast)) == 0;
  return (access & record & kAtomic) == 0 || same_kind || index_of(thread_of(record)) >= kFewThreads;
}

// Of several races at one word the one at the lowest byte is told, then a plain write, then an atomic one,
// then the lowest thread: the same one in both modes. Lower ranks first. REQUIRES: bytes != 0.
[[gnu::noinline, gnu::cold]] inline std::uint64_t rank_of(std::uint64_t record, std::uint64_t bytes) {
  using namespace record_bits;
  const std::uint64_t kind = (record & kWrite) == 0 ? 2 : (record & kAtomic) != 0;
  return (static_cast<std::uint64_t>(__builtin_ctzll(bytes)) << 48) | (kind << 44) |
         (static_cast<std::uint64_t>(index_of(thread_of(record))) << 32) | time_of(record);
}

// The bytes of `access` that its own epoch has not recorded already. An access of the same epoch that covers
// this one was checked when it was made, and what came since was checked against it (FastTrack's same-epoch
// rule).
template <typename Record>
inline std::uint64_t new_bytes(const Record* record, std::uint64_t access) {
  using namespace record_bits;
  std::uint64_t bytes = access & kMask;
  for (;; ++record) {
    if (((record->bits ^ access) & kEpoch) == 0 && covers(record->bits, access)) bytes &= ~record->bits;
    if ((record->bits & kLast) != 0) return bytes;
  }
}

template <typename Record>
[[gnu::always_inline]] inline Step<Record> advance(StateTable<Record>& states, StateId from, Record access,
                                                   ClockView clock) {
  using namespace record_bits;
  std::uint64_t racing_bytes = 0;
  Record previous = {};
  Record* const draft = states.draft();
  std::uint32_t count = 0;
  if (from != kEmpty) {
    const Record* record = states.records_of(from);
    const std::uint64_t bytes = new_bytes(record, access.bits);
    if (bytes == 0) return {from, 0, {}};
    access.bits = (access.bits & ~kMask) | bytes;
    bool is_last;
    do {
      Record kept = *record++;
      is_last = (kept.bits & kLast) != 0;
      kept.bits &= ~kLast;
      const std::uint64_t overlap = kept.bits & bytes;
      if (overlap != 0) {
        const bool ordered = is_ordered(kept.bits, access.bits, clock);
        const bool races = !ordered && conflicts(kept.bits, access.bits);
        if (__builtin_expect(races, 0)) {
          if (racing_bytes == 0 || rank_of(kept.bits, overlap) < rank_of(previous.bits, racing_bytes)) {
            racing_bytes = overlap;
            previous = kept;
          }
        }
        // After a race the location has its report, and the access stands for the record as if it were
        // ordered.
        if ((ordered || races) && stands_for(access.bits, kept.bits)) kept.bits &= ~overlap;
      }
      if ((kept.bits & kMask) == 0) continue;
      if constexpr (!Record::kHasSite) {
        if (((kept.bits ^ access.bits) & ~kMask) == 0) {
          access.bits |= kept.bits & kMask;
          continue;
        }
      }
      draft[count++] = kept;
    } while (!is_last);
  }
  draft[count++] = access;
  return {states.commit(count), static_cast<std::uint8_t>(racing_bytes), previous};
}

// The frequent ones of the steps that no memo knows, in one pass: a thread accesses in a new epoch, without a
// race, what was accessed in the same pieces before. The state that follows, or kVirgin where the step is of
// another kind; then nothing has changed.
[[gnu::always_inline]] inline StateId advance_simply(StateTable<FastRecord>& states, StateId from,
                                                     FastRecord access, ClockView clock) {
  using namespace record_bits;
  if (from == kEmpty) return kVirgin;
  const std::uint64_t bytes = access.bits & kMask;
  FastRecord* const draft = states.draft();
  std::uint32_t count = 0;
  bool only_renewed = false;
  bool dropped = false;
  std::uint32_t room = 0;
  for (const FastRecord* record = states.records_of(from);; ++record) {
    ++room;
    const std::uint64_t old = record->bits & ~kLast;
    if (((old ^ access.bits) & kEpoch) == 0) return kVirgin;
    if (static_cast<std::uint32_t>(old ^ access.bits) == 0) {
      only_renewed = true;  // all but the time is equal
    } else if ((old & bytes) == 0) {
      draft[count++].bits = old;
    } else {
      const bool ordered = is_ordered(old, access.bits, clock);
      if (!ordered && conflicts(old, access.bits)) return kVirgin;
      if (!ordered || !stands_for(access.bits, old)) {
        draft[count++].bits = old;
      } else if ((old & kMask & ~bytes) == 0) {
        dropped = true;
      } else {
        return kVirgin;
      }
    }
    if ((record->bits & kLast) != 0) break;
  }
  draft[count++] = access;
  if ((access.bits & kAtomic) != 0) return states.commit_owned(from, room, count);
  // Words whose states differ get states that differ, if all that changes is the time.
  return only_renewed && !dropped ? states.commit_new(count) : states.commit(count);
}

// The same for an atomic access and a word with a state of its own: only the thread's record of this kind is
// renewed. Records that the access stands for stay, which is harmless: who races with one of those later
// races with the access, too. False: nothing has changed.
enum class Renewal : std::uint8_t { kNone, kSameEpoch, kNewEpoch };
[[gnu::always_inline]] inline Renewal renew_in_place(FastRecord* record, std::uint64_t access,
                                                     ClockView clock) {
  using namespace record_bits;
  FastRecord* own = nullptr;
  for (;; ++record) {
    const std::uint64_t bits = record->bits;
    if ((static_cast<std::uint32_t>(bits ^ access) & ~static_cast<std::uint32_t>(kLast)) == 0) {
      own = record;  // all but the time is equal
    } else if (stands_for(access, bits) || ((bits & kAtomic) == 0 && !is_ordered(bits, access, clock))) {
      return Renewal::kNone;  // it has to go, or may be a race
    }
    if ((bits & kLast) != 0) break;
  }
  if (own == nullptr) return Renewal::kNone;
  const std::uint64_t renewed = access | (own->bits & kLast);
  const bool same_epoch = own->bits == renewed;
  own->bits = renewed;
  return same_epoch ? Renewal::kSameEpoch : Renewal::kNewEpoch;
}

// The state without what it knows of the bytes in `mask`.
template <typename Record>
StateId forget(StateTable<Record>& states, StateId from, std::uint64_t mask) {
  using namespace record_bits;
  if (from == kVirgin || from == kEmpty) return from;
  Record* const draft = states.draft();
  std::uint32_t count = 0;
  const Record* record = states.records_of(from);
  bool is_last;
  do {
    Record kept = *record++;
    is_last = (kept.bits & kLast) != 0;
    kept.bits &= ~(mask | kLast);
    if ((kept.bits & kMask) != 0) draft[count++] = kept;
  } while (!is_last);
  return count == 0 ? kEmpty : states.commit(count);
}

}  // namespace heddle::race
