// A reusable barrier of a mutex and a condition variable, told apart by generation.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Barrier {
 public:
  explicit Barrier(int parties) : parties_(parties) {}
  void wait() {
    std::unique_lock lock(mutex_);
    const int mine = generation_;
    if (++arrived_ == parties_) {
      arrived_ = 0;
      ++generation_;
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [&] { return generation_ != mine; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  const int parties_;
  int arrived_ = 0, generation_ = 0;
};

int main() {
  Barrier barrier(3);
  int rounds[3] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 1; round <= 2; ++round) {
        rounds[i] = round;
        barrier.wait();
        for (const int other : rounds) assert(other == round);
        barrier.wait();
      }
    });
  }
  for (auto& thread : threads) thread.join();
}
