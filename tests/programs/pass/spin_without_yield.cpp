// A loop that spins on an atomic with no yield in it: the scheduler has to let the other thread run.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<bool> ready{false};
  int data = 0;
  std::thread producer([&] {
    data = 1;
    ready.store(true, std::memory_order_release);
  });
  while (!ready.load(std::memory_order_acquire)) {
  }
  assert(data == 1);
  producer.join();
}
