// Store buffering: both loads may miss the other thread's store, and the assertion fails.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> x{0}, y{0};
int a, b;

int main() {
  std::thread first([] {
    x.store(1, std::memory_order_release);
    a = y.load(std::memory_order_acquire);
  });
  std::thread second([] {
    y.store(1, std::memory_order_release);
    b = x.load(std::memory_order_acquire);
  });
  first.join();
  second.join();
  assert(a == 1 || b == 1);
}
