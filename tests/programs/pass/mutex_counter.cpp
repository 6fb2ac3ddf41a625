// A counter under a mutex loses nothing.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex mutex;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) {
        std::lock_guard lock(mutex);
        ++counter;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  assert(counter == 15);
}
