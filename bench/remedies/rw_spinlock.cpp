// A spin lock for one writer or many readers, in one word. A reader leaves with a relaxed decrement: the
// writer that comes after it can change what the reader, as far as the memory model goes, is still looking
// at.
#include <atomic>
#include <cassert>
#include <shared_mutex>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kLeave = std::memory_order_release;
#else
constexpr std::memory_order kLeave = std::memory_order_relaxed;
#endif

class SharedSpinLock {
 public:
  void lock() {
    int idle = 0;
    while (
        !state_.compare_exchange_weak(idle, kWriter, std::memory_order_acquire, std::memory_order_relaxed)) {
      idle = 0;
      std::this_thread::yield();
    }
  }

  void unlock() { state_.store(0, std::memory_order_release); }

  void lock_shared() {
    for (;;) {
      int readers = state_.load(std::memory_order_relaxed);
      if (readers != kWriter && state_.compare_exchange_weak(readers, readers + 1, std::memory_order_acquire,
                                                             std::memory_order_relaxed))
        return;
      std::this_thread::yield();
    }
  }

  void unlock_shared() { state_.fetch_sub(1, kLeave); }

 private:
  static constexpr int kWriter = -1;
  std::atomic<int> state_{0};
};

struct Rate {
  int euros, cents;
};

class RateTable {
 public:
  void set(const Rate& rate) {
    lock_.lock();
    rate_.euros = rate.euros;
    rate_.cents = rate.cents;
    lock_.unlock();
  }

  Rate get() {
    std::shared_lock<SharedSpinLock> guard(lock_);
    return rate_;
  }

 private:
  SharedSpinLock lock_;
  Rate rate_{1, 1};
};

int main() {
  RateTable table;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&table] {
      const Rate rate = table.get();
      assert(rate.euros == rate.cents);
    });
  }
  threads.emplace_back([&table] { table.set({2, 2}); });
  for (auto& thread : threads) thread.join();
  assert(table.get().euros == 2);
}
