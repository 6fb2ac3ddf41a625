// A bounded queue for one producer and one consumer, without a lock. The producer publishes its slot by a
// relaxed store: the consumer can see the new tail and still read the slot's old content. A data race, and
// wrong data on weakly ordered machines.
//
//   heddle c++ -g -O1 ring.cpp -o ring && heddle run -- ./ring
//
// ring_fixed.cpp publishes with release.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <optional>
#include <thread>

template <typename T, std::size_t Capacity>
class Ring {
 public:
  // By the producer only.
  bool push(const T& value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == Capacity) return false;
    slots_[tail % Capacity] = value;
    tail_.store(tail + 1, std::memory_order_relaxed);
    return true;
  }

  // By the consumer only.
  std::optional<T> pop() {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return std::nullopt;
    T value = slots_[head % Capacity];
    head_.store(head + 1, std::memory_order_release);
    return value;
  }

 private:
  std::array<T, Capacity> slots_{};
  std::atomic<std::size_t> head_{0}, tail_{0};
};

Ring<int, 2> ring;

int main() {
  constexpr int kMessages = 4;
  std::thread producer([] {
    for (int i = 1; i <= kMessages; ++i) {
      while (!ring.push(i)) std::this_thread::yield();
    }
  });
  for (int expected = 1; expected <= kMessages;) {
    if (const auto message = ring.pop()) {
      assert(*message == expected);
      ++expected;
    } else {
      std::this_thread::yield();
    }
  }
  producer.join();
}
