// executions: 40
// Eighty threads at once.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex mutex;
  int plain = 0;
  std::atomic<int> relaxed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 80; ++i) {
    threads.emplace_back([&] {
      relaxed.fetch_add(1, std::memory_order_relaxed);
      std::lock_guard lock(mutex);
      ++plain;
    });
  }
  for (auto& thread : threads) thread.join();
  assert(plain == 80 && relaxed.load() == 80);
}
