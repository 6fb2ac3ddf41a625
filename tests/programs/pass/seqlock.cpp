// A sequence lock whose data are relaxed atomics between fences: a reader never accepts a torn pair.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<unsigned> sequence{0};
std::atomic<int> left{0}, right{0};

void write(int value) {
  const unsigned before = sequence.load(std::memory_order_relaxed);
  sequence.store(before + 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  left.store(value, std::memory_order_relaxed);
  right.store(value, std::memory_order_relaxed);
  sequence.store(before + 2, std::memory_order_release);
}

bool read(int& a, int& b) {
  const unsigned before = sequence.load(std::memory_order_acquire);
  a = left.load(std::memory_order_relaxed);
  b = right.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return before % 2 == 0 && sequence.load(std::memory_order_relaxed) == before;
}

int main() {
  std::thread writer([] {
    write(1);
    write(2);
  });
  for (int i = 0; i < 3; ++i) {
    int a = 0, b = 0;
    if (read(a, b)) assert(a == b);
  }
  writer.join();
  int a = 0, b = 0;
  assert(read(a, b) && a == 2 && b == 2);
}
