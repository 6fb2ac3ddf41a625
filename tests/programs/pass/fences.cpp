// Relaxed accesses ordered by a release and an acquire fence.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  int data = 0;
  std::atomic<bool> ready{false};
  std::thread producer([&] {
    data = 42;
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
  });
  if (ready.load(std::memory_order_relaxed)) {
    std::atomic_thread_fence(std::memory_order_acquire);
    assert(data == 42);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  producer.join();
  assert(data == 42);
}
