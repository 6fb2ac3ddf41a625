// expect: deadlock
// Three philosophers, each with the left fork in hand.
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex forks[3];
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      std::lock_guard left(forks[i]);
      std::lock_guard right(forks[(i + 1) % 3]);
    });
  }
  for (auto& thread : threads) thread.join();
}
