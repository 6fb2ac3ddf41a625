// The private state of a thread that is about to perform a visible operation: what a loop would have to
// change to be anything but a spin.
#pragma once

#include <cstdint>

namespace heddle::engine {

struct PrivateState {
  std::uint64_t stack_pointer = 0;  // of the program's innermost frame; 0: it was not found
  std::uint64_t hash = 0;
};

// A hash of the program's pc, its callee-saved registers and its stack, as seen from the runtime function
// that the program called; nothing of the runtime's own frames is part of it, since those differ from turn to
// turn and where events are recorded. `stack_end`: where the stack of the thread ends. Two visits of one
// place with equal state, and no change of memory between them, are two turns of a loop that nothing inside
// the thread can end. Takes a few microseconds.
PrivateState private_state(std::uint64_t stack_end);

// The program is told this time, or names it as the end of a wait. A loop that asks for the time has another
// one on its stack at each turn: words that hold such times, in any usual unit, are no part of a state.
void note_time(std::uint64_t nanoseconds);

// The latest of these times. Whether a word is one of them, a bit of a hash tells in most cases.
class TimeFilter {
 public:
  TimeFilter();
  std::uint64_t but_for_time(std::uint64_t word) const {
    // Smaller numbers are something else, more often than not. (A counter that comes by the number of a time
    // is seen as soon as it has passed it.)
    constexpr std::uint64_t kLeast = 64;
    if (word < kLeast || (bits_[hash(word) / 64] >> hash(word) % 64 & 1) == 0) return word;
    return is_time(word) ? 0 : word;
  }

 private:
  static std::uint64_t hash(std::uint64_t word) { return (word * 0x9e3779b97f4a7c15ull) >> 52; }
  static bool is_time(std::uint64_t word);
  std::uint64_t bits_[64] = {};
};

}  // namespace heddle::engine
