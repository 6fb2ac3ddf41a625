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

// By a thread from the eighth on?
constexpr bool is_of_many(std::uint64_t record) {
  return (record & (0xff8ull << record_bits::kThreadShift)) != 0;
}

// Records that are kept beside each other though the later may cover the earlier: atomic accesses of the
// first few threads, and plain reads of those. Who races with the earlier one later races with the other,
// too; but threads that take turns at a word find their own again (renew_in_place).
inline bool are_apart(std::uint64_t access, std::uint64_t record) {
  using namespace record_bits;
  constexpr std::uint64_t kKind = kWrite | kAtomic;
  return !is_of_many(record) && ((access & record & kAtomic) != 0 || ((access | record) & kKind) == 0);
}

// May the record go when `access` comes after it?
inline bool stands_for(std::uint64_t access, std::uint64_t record) {
  using namespace record_bits;
  if (!covers(access, record)) return false;
  const bool same_kind =
      (static_cast<std::uint32_t>(access ^ record) & ~static_cast<std::uint32_t>(kMask | kLast)) == 0;
  return same_kind || !are_apart(access, record);
}

// Plain writes, then atomic ones, then reads.
constexpr std::uint64_t kind_rank(std::uint64_t record) {
  using namespace record_bits;
  return (record & kWrite) == 0 ? 2 : (record & kAtomic) != 0;
}

// Of several races at one word the one at the lowest byte is told, then a plain write, then an atomic one,
// then the lowest thread: the same one in both modes. Lower ranks first. REQUIRES: bytes != 0.
[[gnu::noinline, gnu::cold]] inline std::uint64_t rank_of(std::uint64_t record, std::uint64_t bytes) {
  return (static_cast<std::uint64_t>(__builtin_ctzll(bytes)) << 48) | (kind_rank(record) << 44) |
         (static_cast<std::uint64_t>(index_of(thread_of(record))) << 32) | time_of(record);
}

// The bytes of `access` that its own epoch has not recorded already. An access of the same epoch that covers
// this one was checked when it was made, and what came since was checked against it (FastTrack's same-epoch
// rule). A write takes an allocation's place all the same: reports name the write, and what is allocated
// has no value before it.
template <typename Record>
inline std::uint64_t new_bytes(const Record* record, std::uint64_t access) {
  using namespace record_bits;
  std::uint64_t bytes = access & kMask;
  for (;; ++record) {
    if (((record->bits ^ access) & kEpoch) == 0 && covers(record->bits, access) &&
        ((access & kWrite) == 0 || !is_allocation(record->bits)))
      bytes &= ~record->bits;
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
      kept.bits &= ~kOfList;
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
  std::uint32_t old_count = 0;
  for (const FastRecord* record = states.records_of(from);; ++record) {
    ++old_count;
    const std::uint64_t old = record->bits & ~kOfList;
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
  if ((access.bits & kAtomic) != 0 || is_owned(from) || !states.is_shared(from))
    return states.commit_owned(from, old_count, count);
  // Words whose states differ get states that differ, if all that changes is the time.
  return only_renewed && !dropped ? states.commit_new(count) : states.commit(count);
}

// A step of a word with a state of its own, in place. kNone: the step is of another kind, and nothing has
// changed; kSameEpoch: it changes nothing.
enum class InPlace : std::uint8_t { kNone, kSameEpoch, kDone };

// A thread accesses once more, now or in a later epoch, what it has accessed in the same way before. Its
// record is kRenewable while such a step can change nothing but the record's time, whatever the thread has
// learnt since: nothing has come to the word that it might race with or stand for. `begin`: when the thread's
// life began; what a former life of its slot knew, it need not know.
[[gnu::always_inline]] inline InPlace renew_in_place(FastRecord* record, std::uint64_t access,
                                                     std::uint32_t begin) {
  using namespace record_bits;
  constexpr auto kOfAccess = static_cast<std::uint32_t>(~kOfList);
  for (;; ++record) {
    const std::uint64_t old = record->bits;
    if ((static_cast<std::uint32_t>(old ^ access) & kOfAccess) == 0) {
      if (time_of(old) == time_of(access)) return InPlace::kSameEpoch;
      if ((old & kRenewable) == 0 || time_of(old) < begin) return InPlace::kNone;
      record->bits = static_cast<std::uint32_t>(old) | access >> kTimeShift << kTimeShift;
      return InPlace::kDone;
    }
    if ((old & kLast) != 0) return InPlace::kNone;
  }
}

// May a record be renewed beside `own`, another one of the same thread that overlaps it? In the epoch of one
// that covers it there would be nothing to renew; that is as good if who races with it meets the other first.
constexpr bool is_renewable_beside(std::uint64_t own, std::uint64_t access) {
  using namespace record_bits;
  return !covers(own, access) || (kind_rank(own) < kind_rank(access) && (access & kMask & ~own) == 0);
}

// The frequent ones of all steps in place.
template <AccessOp kOp>
[[gnu::always_inline]] inline InPlace advance_in_place(FastRecord* records, std::uint64_t access,
                                                       ClockView clock) {
  using namespace record_bits;
  constexpr Shape kShape = shape_of(kOp);  // known to the compiler, as no part of `access` is
  constexpr std::uint32_t kMost = 31;
  const auto bytes = static_cast<std::uint32_t>(access & kMask);
  // A bit for each record.
  std::uint32_t dropped = 0;
  std::uint32_t disturbed = 0;  // those that this access is in the way of
  std::uint32_t own = 0;        // those of the thread
  std::uint64_t renewable = kRenewable;
  bool is_new = true;
  std::uint32_t last = 0;
  for (;; ++last) {
    const std::uint64_t old = records[last].bits & ~kOfList;
    const auto difference = static_cast<std::uint32_t>(old ^ access);
    const std::uint32_t bit = 1u << last;
    bool goes = false;
    if (difference == 0) {
      if (old == access) return InPlace::kSameEpoch;
      dropped |= bit;  // all but the time is equal
      is_new = false;
    } else if ((difference & kThread) != 0) {
      // Most are neither a race nor in the way.
      if (!are_apart(kShape, old) && (old & bytes) != 0) {
        disturbed |= bit;
        if (time_of(old) > clock.at(thread_of(old))) {
          if (conflicts(kShape, old)) return InPlace::kNone;
          if (covers(kShape, old)) renewable = 0;  // it goes once the thread has learnt of it
        } else {
          goes = covers(kShape, old);
        }
      }
    } else if (time_of(old) == time_of(access) && covers(old, kShape)) {
      return (bytes & ~old) == 0 ? InPlace::kSameEpoch : InPlace::kNone;
    } else {
      own |= bit;
      if ((old & bytes) != 0) {
        goes = stands_for(access, old);
        if (!goes && !is_renewable_beside(old, access)) renewable = 0;
      }
    }
    if (goes) {
      if ((old & kMask & ~bytes) != 0) return InPlace::kNone;
      dropped |= bit;
    }
    if ((records[last].bits & kLast) != 0) break;
    if (last == kMost) return InPlace::kNone;
  }
  // What was renewable may have to be judged anew because of this access.
  if (is_new) disturbed |= own;
  if (is_of_many(access)) disturbed = ~0u;
  for (std::uint32_t left = disturbed & ~dropped & ((2u << last) - 1); left != 0; left &= left - 1)
    records[__builtin_ctz(left)].bits &= ~kRenewable;
  access |= renewable;
  const std::uint64_t room = records[0].bits & kRoom;
  if (dropped == 0) {
    if (StateTable<FastRecord>::room_of(records, last + 1) == last + 1) return InPlace::kNone;
    records[last].bits &= ~kLast;
    records[last + 1].bits = access | kLast;
    return InPlace::kDone;
  }
  const auto first = static_cast<std::uint32_t>(__builtin_ctz(dropped));
  std::uint32_t count = first;
  if ((dropped & (dropped - 1)) == 0) {
    records[first].bits = access | (records[first].bits & kOfList & ~kRenewable);
    return InPlace::kDone;
  }
  for (std::uint32_t i = first; i <= last; ++i) {
    if ((dropped >> i & 1) == 0) records[count++].bits = records[i].bits & ~(kLast | kShared | kRoom);
  }
  records[count].bits = access | kLast;
  records[0].bits |= room;
  return InPlace::kDone;
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
    kept.bits &= ~(mask | kOfList);
    if ((kept.bits & kMask) != 0) draft[count++] = kept;
  } while (!is_last);
  return count == 0 ? kEmpty : states.commit(count);
}

}  // namespace heddle::race
