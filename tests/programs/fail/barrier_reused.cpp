// expect: deadlock | lost wake-up
// A barrier without generations: a fast thread starts the second round before a slow one has left the first.
#include <condition_variable>
#include <mutex>
#include <thread>

class Barrier {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    if (++arrived_ == 2) {
      all_here_.notify_all();
      return;
    }
    all_here_.wait(lock, [this] { return arrived_ == 2; });
    arrived_ = 0;
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  int arrived_ = 0;
};

int main() {
  Barrier barrier;
  const auto work = [&] {
    barrier.wait();
    barrier.wait();
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
}
