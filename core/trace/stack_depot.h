// Stacks as a tree: a node is a return address and the node of its caller, so that equal stacks have equal
// ids and a stack costs one word to keep. Lies in shared memory; written by the runtime, read by the tool.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/ids.h"

namespace heddle {

struct StackNode {
  std::uint64_t pc = 0;
  StackId caller = kEmptyStack;
  std::uint32_t next_in_bucket = 0;
};
static_assert(sizeof(StackNode) == 16);

// The innermost node of an access that a function of libc made for the program: this function's first
// address, marked. It stands inside the place that the stack belongs to, not around it as the other nodes do.
inline constexpr std::uint64_t kCalledFunction = 1ull << 63;

inline constexpr std::uint32_t kStackBuckets = 1u << 14;

struct StackDepot {
  std::uint32_t capacity = 0;  // nodes, node 0 is the empty stack
  std::uint32_t count = 1;
  std::uint32_t buckets[kStackBuckets] = {};

  StackNode* nodes() { return reinterpret_cast<StackNode*>(this + 1); }
  const StackNode* nodes() const { return reinterpret_cast<const StackNode*>(this + 1); }

  // The node for `pc` called from `caller`. A full depot answers `caller`: the stack loses inner frames,
  // never more.
  StackId push(StackId caller, std::uint64_t pc) {
    const std::uint64_t hash =
        (pc ^ (static_cast<std::uint64_t>(index_of(caller)) << 40)) * 0x9e3779b97f4a7c15ull;
    std::uint32_t& bucket = buckets[hash >> 50];
    for (std::uint32_t i = bucket; i != 0; i = nodes()[i].next_in_bucket) {
      if (nodes()[i].pc == pc && nodes()[i].caller == caller) return StackId{i};
    }
    if (count >= capacity) return caller;
    const std::uint32_t index = count++;
    nodes()[index] = {pc, caller, bucket};
    bucket = index;
    return StackId{index};
  }
};
static_assert(sizeof(StackDepot) % 8 == 0);

}  // namespace heddle
