// How a binary describes its functions' control flow for those who read path logs: one entry for each
// function that has a body for recording, in the section `heddle_path`, without padding between them.
//
//   4 bytes   length of what follows
//   6 bytes   FunctionKey
//   string    the symbol's name; string: the source file
//   n         blocks, the first is the entry; then each:
//     n       items, in order; then each:
//       byte  ItemKind
//       kCall          6 bytes FunctionKey of the callee, n: 1 + the block of the landing pad, 0: none
//       kIndirectCall  n: place, n: line, n: 1 + the landing pad's block
//       kLanding       n: place, n: line
//       kSecondReturn  n: place, n: line (after the kCall of setjmp)
//     byte    EndKind
//       kJump          n: block
//       kBranch        n: place, n: line, n: block if the condition holds, n: block if not
//       kSwitch        n: place, n: line, n: different successors, then n: block for each
//   n         loops that are logged by the number of their rounds; then each:
//     n       block at which it is entered, and each round begins
//     n       branches that leave it, in the order in which a round comes to them; then each:
//       n     its block, n: 1 where the condition holds as long as it stays in the loop, 0
//   n         loops whose number of rounds never changes, unless something else leaves them; then each:
//     n       block at which it is entered, n: block from which it goes back there, by a branch that is not
//             in the log, n: 1 where the condition holds as long as it stays in the loop, n: rounds
//   n         loops that are in the log where they are left; then each:
//     n       block from which it goes back, n: 1 where the condition holds as long as it stays in the loop
//     n       block and n: outcome of the branch that has one bit more, a one; n: bits of the way to there
//             from the block where a round begins, that branch's own included; n: these. They, and a zero,
//             are there where the loop was left; nothing, where it was not
//
// n: a number in LEB128; string: n bytes and then these.
#pragma once

#include <cstdint>

namespace heddle::record {

inline constexpr char kPathSection[] = "heddle_path";
inline constexpr char kGraphSection[] = "heddle_graph";  // 8 bytes for each module: hash of its control flow

enum class ItemKind : std::uint8_t { kCall = 0, kIndirectCall, kLanding, kSecondReturn };
// kStop: the code does not go on from there (a call that does not return, an exception that is passed on).
enum class EndKind : std::uint8_t { kReturn = 0, kStop, kJump, kBranch, kSwitch };

// Which of `count` successors a switch takes, in truncated binary code: ⌊log₂ count⌋ bits or one more. The
// default, which compilers put first, has the last and so a long one; but where there are few others: these
// pick some values out of many.
inline constexpr std::uint32_t kFewSuccessors = 4;
struct SwitchCode {
  unsigned bits = 0;
  std::uint32_t code = 0;
};
constexpr unsigned least_switch_bits(std::uint32_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{2} << bits) <= count) ++bits;
  return bits;
}
// Codes below this one have the least number of bits.
constexpr std::uint32_t short_switch_codes(std::uint32_t count) {
  return (std::uint32_t{2} << least_switch_bits(count)) - count;
}
constexpr unsigned most_switch_bits(std::uint32_t count) {
  return least_switch_bits(count) + (short_switch_codes(count) < count ? 1 : 0);
}
constexpr SwitchCode switch_code(std::uint32_t count, std::uint32_t successor) {
  const std::uint32_t index = count <= kFewSuccessors ? successor : (successor + count - 1) % count;
  const std::uint32_t short_ones = short_switch_codes(count);
  const unsigned bits = least_switch_bits(count);
  return index < short_ones ? SwitchCode{bits, index} : SwitchCode{bits + 1, index + short_ones};
}
// Of the index that such a code stands for.
constexpr std::uint32_t switch_successor(std::uint32_t count, std::uint32_t index) {
  return count <= kFewSuccessors ? index : (index + 1) % count;
}

// A loop that is logged by its rounds: how many were completed, as ones and a zero that ends them; where
// there are more, as many ones as the longest such code has bits, 6 bits L, and the L bits of the rounds
// above those, below their highest one. Then which branch left it, in the code of a switch.
inline constexpr std::uint32_t kMostExits = 4;
inline constexpr unsigned kMostUnaryRounds = 7;
inline constexpr unsigned kRoundsLengthBits = 6;
inline constexpr unsigned kMostRoundsBits = kMostUnaryRounds + 1 + most_switch_bits(kMostExits);

// Of the way that a round may begin by and that tells whether the loop was left, at most.
inline constexpr unsigned kMostRareBits = 3;

static_assert(switch_code(2, 1).bits == 1 && switch_code(3, 0).bits == 1 && switch_code(9, 0).bits == 4 &&
              switch_code(9, 1).bits == 3);

}  // namespace heddle::record
