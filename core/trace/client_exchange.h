// How the tool gives clients of <heddle/lin.hpp> to a worker that stays: which one an execution runs is then
// in this memory, and not in the program's arguments, so that trying one costs no process. Lies in the memory
// of a campaign, and is valid as it comes from the kernel: all zero, not in use.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

struct ClientExchange {
  static constexpr std::uint32_t kMostText = 1u << 20;

  // Set by the tool before the worker starts.
  std::atomic<std::uint32_t> in_use;
  // Executions with smaller indices may run. Written by the tool while none is under way.
  std::atomic<std::uint64_t> granted;
  std::atomic<std::uint32_t> changed;  // futex word: bumped when more were granted, or none ever will be
  std::uint32_t length;
  char text[kMostText];

  bool may_run(std::uint64_t index) const {
    return in_use.load(std::memory_order_relaxed) == 0 || index < granted.load(std::memory_order_acquire);
  }
  // Nobody runs another one before the tool has looked.
  bool is_awaited(std::uint64_t index) const {
    return in_use.load(std::memory_order_relaxed) != 0 &&
           index + 1 == granted.load(std::memory_order_relaxed);
  }
};

}  // namespace heddle
