// States: immutable lists of records, numbered by their position in one arena. Words that were accessed alike
// share one state, which is why a cell needs four bytes only (the idea of SlimFast, Peng et al., IPDPS 2018:
// race metadata is highly redundant). States are made by bumping a pointer; the ones no longer in any cell
// are dropped by copying the others to a second arena when enough new ones were made, so that memory stays
// flat over long runs.
//
// A word that threads keep accessing atomically, each time in a new epoch, would go through a new state with
// each access. Such a word has a state of its own (kOwned), whose records are changed in place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/base/limit.h"
#include "runtime/race/raw_memory.h"
#include "runtime/race/record.h"
#include "runtime/race/shadow.h"

namespace heddle::race {

template <typename Record>
class StateTable {
 public:
  constexpr StateTable() = default;
  StateTable(const StateTable&) = delete;
  StateTable& operator=(const StateTable&) = delete;

  bool map() {
    arena_ = static_cast<Record*>(reserve_memory(0, kArenaSize));
    other_ = static_cast<Record*>(reserve_memory(0, kArenaSize));
    clear();
    return arena_ != nullptr && other_ != nullptr;
  }

  void unmap() {
    if (arena_ != nullptr) unmap_memory(arena_, kArenaSize);
    if (other_ != nullptr) unmap_memory(other_, kArenaSize);
    arena_ = other_ = nullptr;
  }

  void clear() {
    top_ = kFirstState;
    limit_ = kMinimumLimit;
    for (StateId& recent : recent_) recent = kVirgin;
  }

  // REQUIRES: id >= kFirstState. The list ends with the record that has kLast.
  const Record* records_of(StateId id) const { return arena_ + (id & ~kOwned); }

  // REQUIRES: the state is a word's own.
  Record* owned_records(StateId id) { return arena_ + (id & ~kOwned); }

  // Room for the records of a state to be, valid until the next call of commit.
  Record* draft() { return arena_ + top_; }

  // The state of the `count` records in the draft, which may be one that exists. REQUIRES: count >= 1.
  StateId commit(std::uint32_t count) {
    Record* const made = draft();
    made[count - 1].bits |= record_bits::kLast;
    StateId& recent = recent_[hash(made, count) % kRecent];
    if (recent != kVirgin && equal(arena_ + recent, made, count)) {
      share(recent);
      return recent;
    }
    recent = top_;
    top_ += count;
    return recent;
  }

  // commit() without looking for a state that is equal, where there is none but for an unlikely chance.
  StateId commit_new(std::uint32_t count) {
    draft()[count - 1].bits |= record_bits::kLast;
    const StateId made = top_;
    top_ += count;
    return made;
  }

  // The state of the draft's records as one of the word's own; in place of `from` if that is one, of
  // `old_count` records, and has room.
  StateId commit_owned(StateId from, std::uint32_t old_count, std::uint32_t count) {
    Record* const made = draft();
    made[count - 1].bits |= record_bits::kLast;
    if (is_owned(from)) {
      Record* const place = arena_ + (from & ~kOwned);
      if (const std::uint32_t room = room_of(place, old_count); count <= room) {
        for (std::uint32_t i = 0; i < count; ++i) place[i] = made[i];
        note_room(place, room);
        return from;
      }
    }
    const StateId id = top_ | kOwned;
    const std::uint32_t room = (count + 1) & ~1u;
    note_room(made, room);
    top_ += room;
    return id;
  }

  // May several words be in this state, or have been? Then it is no word's own.
  bool is_shared(StateId id) const { return (arena_[id].bits & record_bits::kShared) != 0; }
  // A second word gets into the state. REQUIRES: it is nobody's own, and no draft is under way.
  void share(StateId id) { arena_[id].bits |= record_bits::kShared; }

  // How many records fit where the `count` records of an owned state lie.
  static std::uint32_t room_of(const Record* records, std::uint32_t count) {
    const auto noted = static_cast<std::uint32_t>(records->bits >> record_bits::kRoomShift) & kMostNoted;
    return noted > count ? noted : count;
  }
  static void note_room(Record* records, std::uint32_t room) {
    records->bits &= ~record_bits::kRoom;
    if (room <= kMostNoted) records->bits |= std::uint64_t{room} << record_bits::kRoomShift;
  }

  // Whether enough states were made for a collection to pay. No word ever has more records than fit behind
  // the limit.
  bool wants_collection() const { return __builtin_expect(top_ >= limit_, 0); }

  void collect(Shadow& shadow) {
    const std::size_t used = top_;
    top_ = kFirstState;
    shadow.for_each_cell([this](StateId& cell) {
      if (cell >= kFirstState) cell = move(cell);
    });
    Record* const old = arena_;
    arena_ = other_;
    other_ = old;
    // The part that short collections use again and again is kept, to save its page faults.
    if (used > kKept) discard_memory(old + kKept, (used - kKept + 1) * sizeof(Record));
    for (StateId& recent : recent_) recent = kVirgin;
    const std::size_t limit = 2 * std::size_t{top_} + shadow.cell_count() / 2 + kMinimumLimit;
    if (top_ + kSlack >= kCapacity)
      limit_reached("states of memory that are kept for the race check",
                    "Let the test touch less memory, or use fewer threads.");
    limit_ = static_cast<StateId>(limit < kCapacity - kSlack ? limit : kCapacity - kSlack);
  }

  // Memory whose contents nobody will read before they are written.
  AddressRange spare_memory() const { return AddressRange::between(arena_ + top_, arena_ + kCapacity); }
  AddressRange other_memory() const { return AddressRange::between(other_, other_ + kCapacity); }

  // Memory held by states, for figures.
  std::size_t bytes() const { return top_ * sizeof(Record); }

 private:
  static constexpr std::size_t kArenaSize = 32ull << 30;
  static constexpr std::size_t kCapacity =
      kArenaSize / sizeof(Record) < kOwned ? kArenaSize / sizeof(Record) : kOwned - 1;
  static constexpr std::size_t kSlack = 4ull * 8 * kMaxThreads;  // all kinds, bytes and threads of one word
  static constexpr StateId kMinimumLimit = 1u << 13;
  static constexpr std::size_t kKept = 2 * kMinimumLimit;
  static_assert(kKept * sizeof(Record) % kPageSize == 0);
  static constexpr std::uint32_t kRecent = 1024;
  static constexpr std::uint32_t kMostNoted = record_bits::kRoom >> record_bits::kRoomShift;

  static std::uint32_t hash(const Record* records, std::uint32_t count) {
    std::uint64_t h = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      h = (h ^ records[i].bits) * 0x9e3779b97f4a7c15ull;
      if constexpr (Record::kHasSite) h ^= records[i].site.pc;
    }
    return static_cast<std::uint32_t>(h >> 40);
  }

  static bool equal(const Record* a, const Record* b, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (((a[i].bits ^ b[i].bits) & ~record_bits::kShared) != 0) return false;
      if constexpr (Record::kHasSite) {
        if (a[i].site.pc != b[i].site.pc || a[i].site.stack != b[i].site.stack ||
            a[i].site.size_and_start != b[i].site.size_and_start || a[i].site.event != b[i].site.event)
          return false;
      }
    }
    return true;  // `b` ends with kLast, and so does `a`
  }

  // Copies a state to the other arena, once, and leaves its new number behind.
  StateId move(StateId id) {
    using namespace record_bits;
    Record* const from = arena_ + (id & ~kOwned);
    if ((from->bits & kMoved) != 0) return time_of(from->bits);
    const StateId moved = top_ | (id & kOwned);
    std::uint32_t count = 0;
    do {
      other_[top_ + count] = from[count];
    } while ((from[count++].bits & kLast) == 0);
    top_ += is_owned(id) ? room_of(from, count) : count;
    from->bits = kMoved | (static_cast<std::uint64_t>(moved) << kTimeShift);
    return moved;
  }

  Record* arena_ = nullptr;
  Record* other_ = nullptr;
  StateId top_ = kFirstState;
  StateId limit_ = kMinimumLimit;
  StateId recent_[kRecent] = {};  // states made lately, by the hash of their records
};

}  // namespace heddle::race
