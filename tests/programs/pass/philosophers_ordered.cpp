// Dining philosophers who take the lower fork first.
#include <algorithm>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  constexpr int kPhilosophers = 4;
  std::mutex forks[kPhilosophers];
  int meals[kPhilosophers] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kPhilosophers; ++i) {
    threads.emplace_back([&, i] {
      const int left = i, right = (i + 1) % kPhilosophers;
      std::lock_guard low(forks[std::min(left, right)]);
      std::lock_guard high(forks[std::max(left, right)]);
      ++meals[i];
    });
  }
  for (auto& thread : threads) thread.join();
  for (const int meal : meals) assert(meal == 1);
}
