// A queue lock: each waiter spins on a word of its own. Who finds the queue empty has the lock at once; the
// exchange with which it finds that only releases, and so it does not see what the last owner did before it
// left.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kEnqueue = std::memory_order_acq_rel;
#else
constexpr std::memory_order kEnqueue = std::memory_order_release;
#endif

class QueueLock {
 public:
  struct Place {
    std::atomic<Place*> behind{nullptr};
    std::atomic<bool> must_wait{false};
  };

  void lock(Place& me) {
    me.behind.store(nullptr, std::memory_order_relaxed);
    me.must_wait.store(true, std::memory_order_relaxed);
    Place* const before = last_.exchange(&me, kEnqueue);
    if (before == nullptr) return;
    before->behind.store(&me, std::memory_order_release);
    while (me.must_wait.load(std::memory_order_acquire)) std::this_thread::yield();
  }

  void unlock(Place& me) {
    Place* behind = me.behind.load(std::memory_order_acquire);
    if (behind == nullptr) {
      Place* expected = &me;
      if (last_.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel,
                                        std::memory_order_relaxed))
        return;
      while ((behind = me.behind.load(std::memory_order_acquire)) == nullptr) std::this_thread::yield();
    }
    behind->must_wait.store(false, std::memory_order_release);
  }

 private:
  std::atomic<Place*> last_{nullptr};
};

// Holds a place in the queue for one scope.
class Held {
 public:
  explicit Held(QueueLock& lock) : lock_(lock) { lock_.lock(place_); }
  ~Held() { lock_.unlock(place_); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  QueueLock& lock_;
  QueueLock::Place place_;
};

struct Stock {
  QueueLock lock;
  int pieces = 5, sold = 0;
};

void sell(Stock& stock, int count) {
  const Held held(stock.lock);
  if (stock.pieces < count) return;
  stock.pieces -= count;
  stock.sold += count;
}

int main() {
  Stock stock;
  std::vector<std::thread> shops;
  for (int shop = 0; shop < 2; ++shop) {
    shops.emplace_back([&stock] {
      sell(stock, 1);
      sell(stock, 2);
    });
  }
  for (auto& shop : shops) shop.join();
  assert(stock.pieces + stock.sold == 5);
  assert(stock.pieces >= 0);
}
