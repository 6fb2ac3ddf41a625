// A gate: notify_all lets everybody through, whether they came before or after it opened.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex mutex;
  std::condition_variable gate;
  bool open = false;
  int through = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::unique_lock lock(mutex);
      gate.wait(lock, [&] { return open; });
      ++through;
    });
  }
  {
    std::lock_guard lock(mutex);
    open = true;
    gate.notify_all();
  }
  for (auto& thread : threads) thread.join();
  assert(through == 4);
}
