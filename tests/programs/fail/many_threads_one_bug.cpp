// expect: assertion failure
// Twenty threads, and the bug is between any two of them.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

int main() {
  std::atomic<int> next_id{0};
  std::atomic<int> used[20] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      const int id = next_id.load();
      next_id.store(id + 1);
      assert(used[id].fetch_add(1) == 0);
    });
  }
  for (auto& thread : threads) thread.join();
}
