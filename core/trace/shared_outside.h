// What a campaign knows of the world that its processes share. A program that writes files, or listens at an
// address, would meet its own other executions there: such executions take turns.
//
// Lies in memory that the workers and the tool share; all zero is the state at the beginning.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

struct SharedOutside {
  std::atomic<std::uint32_t> may_overlap;  // the user has asked for workers, and gets them
  std::atomic<std::uint32_t> touched;      // an execution changes what others see
  std::atomic<std::uint32_t> described;    // `what` is being written, or is
  char what[124];                          // the first such thing, for people
  std::atomic<std::uint32_t> owner;        // the process whose turn it is; 0: nobody's

  void touch(const char* thing) {
    if (described.exchange(1, std::memory_order_relaxed) == 0) {
      std::uint32_t length = 0;
      for (; thing[length] != '\0' && length + 1 < sizeof what; ++length) what[length] = thing[length];
      what[length] = '\0';
    }
    touched.store(1, std::memory_order_release);
  }
  bool takes_turns() const {
    return touched.load(std::memory_order_acquire) != 0 && may_overlap.load(std::memory_order_relaxed) == 0;
  }
  bool try_take(std::uint32_t process) {
    std::uint32_t nobody = 0;
    return owner.compare_exchange_strong(nobody, process, std::memory_order_acquire);
  }
  // A process may give back what another one took that has died.
  void give_back(std::uint32_t process) {
    owner.compare_exchange_strong(process, 0, std::memory_order_release);
  }
};

}  // namespace heddle
