// expect: livelock
// executions: 20
// message: 1 thread repeats the same operations for ever
// Nobody gives the lock back. What is found is confirmed and replayed, with a yield in the loop, too.
#include <atomic>
#include <thread>

std::atomic_flag taken = ATOMIC_FLAG_INIT;

void lock() {
  while (taken.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
}

int main() {
  std::thread a(lock), b(lock);
  a.join();
  b.join();
}
