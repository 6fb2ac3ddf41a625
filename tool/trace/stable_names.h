// Names of threads and of heap memory that do not depend on the schedule, so that two executions of one
// program can be laid side by side: a thread is the n-th child of its parent, a block of memory the n-th
// allocation of its thread. Objects in memory (locks, condition variables) are named by where they lie.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tool/trace/trace.h"

namespace heddle {

class StableNames {
 public:
  explicit StableNames(const Trace& trace);

  // "0" is the main thread, "0.2" its second child.
  std::string thread(ThreadId id) const;

  struct Block {
    ThreadId thread = kMainThread;
    std::uint32_t ordinal = 0;  // n-th allocation of the thread, from 1
    Address begin = 0;
    std::uint64_t size = 0;
  };
  // The block that holds the address, the latest one where memory was used again.
  std::optional<Block> block(Address address) const;
  // "heap 0.2#3+8": eight bytes into the third block that thread 0.2 allocated. Empty: it is not in the heap.
  std::string address(Address address) const;

 private:
  std::vector<std::string> threads_;  // by ThreadId
  std::map<Address, Block> blocks_;   // by their beginning
};

}  // namespace heddle
