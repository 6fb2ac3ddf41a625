// PlainAccesses: which plain accesses have to be looked at, and what a volatile access has left to be done.
//
// Nearly all plain accesses repeat what the same epoch has done before. One that changes nothing for the race
// detector was looked at from every side then: since then the memory was neither freed nor accessed by anybody
// else. These are skipped, where nobody wants to see every access.
//
// The compiler's callback of a volatile access comes before the access and carries no value. So the value that
// a read is to see is put into memory first, and what memory should hold is put back before the thread's next
// operation; and the value of a write is collected there. Nobody else runs in between.
//
// Owns: whether the detector runs, whether known accesses may be skipped, and the volatile access under way.
// Invariants:
//   - at most one volatile access is under way; settle() comes before anything else that accesses memory;
//   - while one is under way the detector is disturbed, so that the next access does not skip settle().
#pragma once

#include <cstdint>

#include "core/base/ids.h"
#include "runtime/memory/memory_model.h"
#include "runtime/race/race_detector.h"

namespace heddle::engine {

class PlainAccesses {
 public:
  // `sees_all`: somebody wants to see every access.
  void start(bool detecting, bool sees_all) {
    detecting_ = detecting;
    skips_known_ = detecting && !sees_all;
  }
  bool detecting() const { return detecting_; }
  bool skips_known() const { return skips_known_; }

  // Is the access one that need not be looked at? First the quick look, then the ones that cost more.
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::always_inline]] bool is_known(race::RaceDetector& race, Address address) const {
    if (!skips_known_) return false;
    if (race.is_still<kOp, kSize>(address)) return true;
    return !has_volatile_ && race.is_still_again<kOp, kSize>(address);
  }
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::always_inline]] bool is_renewed(race::RaceDetector& race, Address address) const {
    if constexpr (kSize > 8) {
      return false;
    } else {
      return skips_known_ && !has_volatile_ && race.is_renewed<kOp, kSize>(address);
    }
  }
  // A step in place is enough: a free would have taken the word's own state from it.
  template <race::AccessOp kOp, std::uint32_t kSize>
  [[gnu::always_inline]] bool is_known_word(race::RaceDetector& race, Address address) const {
    if constexpr (kSize > 8) {
      return false;
    } else {
      return detecting_ && race.is_stepped_in_place<kOp, kSize>(address);
    }
  }

  // --- volatile accesses.
  bool has_volatile() const { return has_volatile_; }
  // The thread reads what memory holds now; afterwards memory has to hold `newest` again.
  void begin_read(const memory::Place& place, const memory::Value& newest) {
    has_volatile_ = true;
    volatile_ = {false, place, newest, kNoEvent};
  }
  // The thread will write; `place` has what memory held before.
  void begin_write(const memory::Place& place, EventId event) {
    has_volatile_ = true;
    volatile_ = {true, place, {}, event};
  }
  struct Written {
    bool is_write = false;  // else nothing is left to be done
    memory::Place place;
    memory::Value value;
    EventId event = kNoEvent;
    bool has_changed() const { return !(value == place.memory); }
  };
  // The access is over. Puts back what a read was shown, and answers what was written.
  Written settle();

 private:
  struct Volatile {
    bool is_write = false;
    memory::Place place;   // a write: with what memory held before; a read: with what it holds until then
    memory::Value newest;  // a read: what memory has to hold again
    EventId event = kNoEvent;
  };
  bool detecting_ = false;
  bool skips_known_ = false;
  bool has_volatile_ = false;
  Volatile volatile_;
};

}  // namespace heddle::engine
