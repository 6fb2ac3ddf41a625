// expect: assertion failure
// A hand-made semaphore that lets one too many in when it is woken.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

class Semaphore {
 public:
  void acquire() {
    std::unique_lock lock(mutex_);
    free_.wait(lock, [this] { return count_ >= 0; });
    --count_;
  }
  void release() {
    std::lock_guard lock(mutex_);
    ++count_;
    free_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  int count_ = 1;
};

int main() {
  Semaphore semaphore;
  std::atomic<int> inside{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      semaphore.acquire();
      assert(inside.fetch_add(1) < 1);
      inside.fetch_sub(1);
      semaphore.release();
    });
  }
  for (auto& thread : threads) thread.join();
}
