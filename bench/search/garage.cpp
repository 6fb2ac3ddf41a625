// Garage: workers begin before the manager has handed out tasks. One that has none yet and finds the lift
// taken gives up.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int kWorkers = 5;
std::atomic<int> task[kWorkers + 1];
std::atomic<int> lift{0}, is_open{0}, finished{0}, waited{0};

void manage() {
  is_open.store(1);
  for (int i = 0; i < kWorkers; ++i) task[i].store(i + 1);
}

void work(int me) {
  int allowed = 2 * kWorkers;
  if (task[me].load() == 0) {
    waited.fetch_add(1);
    allowed -= kWorkers;
  }
  if (lift.exchange(1) != 0) {
    waited.fetch_add(1);
    allowed -= kWorkers;
  }
  if (is_open.load() == 0) waited.fetch_add(1);
  assert(waited.load() <= allowed);
  lift.store(0);
  if (finished.fetch_add(1) == kWorkers) waited.store(0);
}

}  // namespace

int main() {
  std::thread manager(manage);
  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    workers.emplace_back(work, i);
  }
  manager.join();
  for (std::thread& t : workers) t.join();
  return 0;
}
