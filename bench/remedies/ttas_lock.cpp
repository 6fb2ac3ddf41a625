// A spin lock that looks before it tries, and backs off. Its author took "atomic" to be enough: both the
// taking and the giving back are relaxed, and nothing that is done under the lock is carried from owner to
// owner.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kTake = std::memory_order_acquire;
constexpr std::memory_order kGive = std::memory_order_release;
#else
constexpr std::memory_order kTake = std::memory_order_relaxed;
constexpr std::memory_order kGive = std::memory_order_relaxed;
#endif

class BackoffLock {
 public:
  void lock() {
    for (int pause = 1;; pause = pause < kLongest ? 2 * pause : kLongest) {
      if (!taken_.load(std::memory_order_relaxed) && try_take()) return;
      for (int i = 0; i < pause; ++i) std::this_thread::yield();
    }
  }

  void unlock() { taken_.store(false, kGive); }

 private:
  static constexpr int kLongest = 4;

  bool try_take() { return !taken_.exchange(true, kTake); }

  std::atomic<bool> taken_{false};
};

// Free numbers of connections.
class Numbers {
 public:
  explicit Numbers(int count) {
    for (int i = count; i > 0; --i) free_.push_back(i);
  }

  int take() {
    std::lock_guard<BackoffLock> guard(lock_);
    if (free_.empty()) return 0;
    const int number = free_.back();
    free_.pop_back();
    return number;
  }

  void give_back(int number) {
    std::lock_guard<BackoffLock> guard(lock_);
    free_.push_back(number);
  }

  std::size_t count() {
    std::lock_guard<BackoffLock> guard(lock_);
    return free_.size();
  }

 private:
  BackoffLock lock_;
  std::vector<int> free_;
};

int main() {
  Numbers numbers(3);
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&numbers] {
      const int number = numbers.take();
      assert(number != 0);
      numbers.give_back(number);
    });
  }
  for (auto& client : clients) client.join();
  assert(numbers.count() == 3);
}
