// A ticket lock: first come, first served.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

class TicketLock {
 public:
  void lock() {
    const unsigned ticket = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != ticket) std::this_thread::yield();
  }
  void unlock() { serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

 private:
  std::atomic<unsigned> next_{0}, serving_{0};
};

int main() {
  TicketLock lock;
  int inside = 0, total = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      lock.lock();
      assert(++inside == 1);
      ++total;
      --inside;
      lock.unlock();
    });
  }
  for (auto& thread : threads) thread.join();
  assert(total == 3);
}
