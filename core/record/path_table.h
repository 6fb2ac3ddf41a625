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

// Bits that tell `count` successors of a switch apart.
constexpr unsigned switch_bits(std::uint32_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace heddle::record
