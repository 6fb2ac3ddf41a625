// expect: assertion failure
// Both threads miss the other's store: allowed for release and acquire, impossible in any interleaving.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0}, y{0};

int main() {
  int a = 0, b = 0;
  std::thread first([&] {
    x.store(1, std::memory_order_release);
    a = y.load(std::memory_order_acquire);
  });
  std::thread second([&] {
    y.store(1, std::memory_order_release);
    b = x.load(std::memory_order_acquire);
  });
  first.join();
  second.join();
  assert(a == 1 || b == 1);
}
