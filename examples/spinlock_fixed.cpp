// The lock of spinlock.cpp, mended: the release store pairs with the acquire of the next owner.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

class SpinLock {
 public:
  void lock() {
    while (locked_.exchange(true, std::memory_order_acquire)) {
      // Spin on a load, which leaves the cache line shared.
      while (locked_.load(std::memory_order_relaxed)) std::this_thread::yield();
    }
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

class Histogram {
 public:
  void add(int value) {
    std::lock_guard lock(lock_);
    if (static_cast<std::size_t>(value) >= counts_.size()) counts_.resize(value + 1);
    ++counts_[value];
  }
  int total() {
    std::lock_guard lock(lock_);
    int sum = 0;
    for (const int count : counts_) sum += count;
    return sum;
  }

 private:
  SpinLock lock_;
  std::vector<int> counts_;
};

int main() {
  Histogram histogram;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&histogram, i] {
      histogram.add(i);
      histogram.add(3);
    });
  }
  for (auto& thread : threads) thread.join();
  assert(histogram.total() == 4);
}
