// expect: data race
// message: atomic
// An atomic that is wiped out by memset while another thread still uses it.
#include <atomic>
#include <cstring>
#include <thread>

struct Statistics {
  std::atomic<int> hits;
  std::atomic<int> misses;
} statistics;

int main() {
  std::thread counter([] { statistics.misses.fetch_add(1, std::memory_order_relaxed); });
  std::memset(static_cast<void*>(&statistics), 0, sizeof statistics);
  counter.join();
}
