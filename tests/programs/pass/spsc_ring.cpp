// One producer and one consumer over a ring of plain slots, published with release and read with acquire.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

class Ring {
 public:
  bool push(int value) {
    const unsigned tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[tail % slots_.size()] = value;
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }
  bool pop(int& value) {
    const unsigned head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    value = slots_[head % slots_.size()];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<int, 2> slots_{};
  std::atomic<unsigned> head_{0}, tail_{0};
};

int main() {
  Ring ring;
  std::thread producer([&] {
    for (int i = 1; i <= 4; ++i) {
      while (!ring.push(i)) std::this_thread::yield();
    }
  });
  for (int expected = 1; expected <= 4; ++expected) {
    int value = 0;
    while (!ring.pop(value)) std::this_thread::yield();
    assert(value == expected);
  }
  producer.join();
}
