// Values that do not depend on where the kernel has put things.
//
// Some systems do not let randomisation of addresses be turned off (containers deny `personality`). There the
// program, its libraries and what the kernel maps lie elsewhere in every process. Two executions are still
// the same if they differ in that alone. So an address in a module counts as the module and the offset in it.
// An address in other memory that the kernel has placed counts as its offset in the page, which never moves. The
// heap and the stacks of all threads lie at fixed addresses (core/base/pages.h), and count as they are.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/random.h"

namespace heddle {

namespace canonical {
// Where Linux on x86-64 puts position independent programs and the heap of `brk`, and libraries, stack and
// anonymous mappings, however many bits are random (vm.mmap_rnd_bits).
constexpr bool is_placed_by_kernel(std::uint64_t value) {
  return (value >= 0x5500'0000'0000 && value < 0x5700'0000'0000) ||
         (value >= 0x6f00'0000'0000 && value < 0x8000'0000'0000);
}
inline constexpr std::uint64_t kOffsetInPage = 0xfff;
}  // namespace canonical

// `modules`: with begin, end and base, in the order in which they were loaded; the order is what names them.
template <typename Module>
std::uint64_t canonical_value(std::uint64_t value, std::span<const Module> modules) {
  for (std::size_t i = 0; i < modules.size(); ++i) {
    if (value >= modules[i].begin && value < modules[i].end) return mix(i + 1, value - modules[i].base);
  }
  return canonical::is_placed_by_kernel(value) ? mix(0, value & canonical::kOffsetInPage) : value;
}

}  // namespace heddle
