// A fair lock: take a number, wait until it is called. The wait looks at the called number with a relaxed
// load, and what the one before did under the lock is not carried over.
#include <atomic>
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifdef FIXED
constexpr std::memory_order kWait = std::memory_order_acquire;
#else
constexpr std::memory_order kWait = std::memory_order_relaxed;
#endif

class TicketLock {
 public:
  void lock() {
    const unsigned mine = next_.fetch_add(1, std::memory_order_relaxed);
    while (called_.load(kWait) != mine) std::this_thread::yield();
  }

  void unlock() {
    const unsigned mine = called_.load(std::memory_order_relaxed);
    called_.store(mine + 1, std::memory_order_release);
  }

 private:
  std::atomic<unsigned> next_{0}, called_{0};
};

// What a meter reports, in the order in which it came in.
class Journal {
 public:
  void add(int meter, int value) {
    std::lock_guard<TicketLock> guard(lock_);
    last_[meter] = value;
    total_ += value;
    ++entries_;
  }

  int entries() {
    std::lock_guard<TicketLock> guard(lock_);
    return entries_;
  }

  int total() {
    std::lock_guard<TicketLock> guard(lock_);
    return total_;
  }

 private:
  TicketLock lock_;
  int last_[2] = {};
  int total_ = 0;
  int entries_ = 0;
};

int main() {
  Journal journal;
  std::vector<std::thread> meters;
  for (int meter = 0; meter < 2; ++meter) {
    meters.emplace_back([&journal, meter] {
      for (int i = 1; i <= 2; ++i) journal.add(meter, 10 * meter + i);
    });
  }
  for (auto& meter : meters) meter.join();
  assert(journal.entries() == 4);
  assert(journal.total() == 1 + 2 + 11 + 12);
}
