// Counting and finding bits of one word: by instructions that not every x86-64 has, where this one has them,
// else by sums.
#pragma once

#include <cstdint>

namespace heddle::memory {

// What this processor can do. Found out by whoever makes a MemoryModel; until then, nothing special.
struct ProcessorAbilities {
  bool selects = false;        // POPCNT, and a PDEP that is no program of microcode
  bool has_wide_rows = false;  // AVX2
};
inline ProcessorAbilities processor;

inline void find_processor_abilities() {
  __builtin_cpu_init();
  // AMD's before Zen 3 take PDEP bit by bit.
  processor.selects = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi2") &&
                      !__builtin_cpu_is("amdfam15h") && !__builtin_cpu_is("amdfam17h");
  processor.has_wide_rows = __builtin_cpu_supports("avx2");
}

// Sums of bits in fields of 2, 4, 8, … bits (Hacker's Delight, 5-1).
struct BitSums {
  std::uint64_t by2, by4, by8, by16, by32;

  explicit BitSums(std::uint64_t word)
      : by2(word - ((word >> 1) & 0x5555555555555555)),
        by4((by2 & 0x3333333333333333) + ((by2 >> 2) & 0x3333333333333333)),
        by8((by4 + (by4 >> 4)) & 0x0f0f0f0f0f0f0f0f),
        by16((by8 + (by8 >> 8)) & 0x00ff00ff00ff00ff),
        by32((by16 + (by16 >> 16)) & 0x0000ffff0000ffff) {}
  std::uint32_t all() const { return static_cast<std::uint32_t>(by32 + (by32 >> 32)) & 0xff; }
};

inline std::uint32_t count_by_sums(std::uint64_t word) {
  const std::uint64_t by2 = word - ((word >> 1) & 0x5555555555555555);
  const std::uint64_t by4 = (by2 & 0x3333333333333333) + ((by2 >> 2) & 0x3333333333333333);
  return static_cast<std::uint32_t>((((by4 + (by4 >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >> 56);
}

// (In assembly: a function for another processor would not be inlined.)
inline std::uint32_t count_by_instruction(std::uint64_t word) {
  std::uint64_t count;
  asm("popcntq %1, %0" : "=r"(count) : "r"(word) : "cc");
  return static_cast<std::uint32_t>(count);
}

inline std::uint32_t count_bits(std::uint64_t word) {
  return processor.selects ? count_by_instruction(word) : count_by_sums(word);
}

inline std::uint32_t select_by_sums(std::uint64_t word, std::uint32_t rank) {
  // Binary search, without branches, for which ranks that are drawn leave nothing to predict: is it in the
  // upper half of what is left, or below?
  const BitSums sums(word);
  std::uint32_t low = 0;
  std::uint64_t left = rank;
  const auto descend = [&](std::uint64_t sums_of_half, std::uint32_t half) {
    const std::uint64_t above = (sums_of_half >> (low + half)) & ((2ull * half) - 1);
    const bool below = left >= above;
    left -= below ? above : 0;
    low += below ? 0 : half;
  };
  descend(sums.by32, 32);
  descend(sums.by16, 16);
  descend(sums.by8, 8);
  descend(sums.by4, 4);
  descend(sums.by2, 2);
  descend(word, 1);
  return low;
}

inline std::uint32_t select_by_instruction(std::uint64_t word, std::uint32_t rank) {
  const std::uint64_t one = 1ull << (count_by_instruction(word) - 1 - rank);
  std::uint64_t deposited;
  asm("pdepq %2, %1, %0" : "=r"(deposited) : "r"(one), "r"(word));
  return static_cast<std::uint32_t>(__builtin_ctzll(deposited));
}

// The position of the set bit that has `rank` set bits above it. REQUIRES: rank < count_bits(word).
inline std::uint32_t select_from_top(std::uint64_t word, std::uint32_t rank) {
  return processor.selects ? select_by_instruction(word, rank) : select_by_sums(word, rank);
}

}  // namespace heddle::memory
