// skip: libc++ its waits look again every two seconds and so do not block for ever
// case: no_notify => lost wake-up: nobody woke the thread
// case: short_latch => deadlock: nothing can wake
#include <atomic>
#include <latch>
#include <thread>

#include "cases.h"

namespace {

void no_notify() {
  std::atomic<int> value = 0;
  std::thread other([&] {
    // Long enough for the wait to stop looking and to block.
    for (int i = 0; i < 200; ++i) value.load(std::memory_order_relaxed);
    value = 1;
  });
  value.wait(0);
  other.join();
}

void short_latch() {
  std::latch latch(3);
  std::thread other([&] { latch.count_down(); });
  latch.arrive_and_wait();
  other.join();
}

}  // namespace

RUN_CASES({"no_notify", no_notify}, {"short_latch", short_latch})
