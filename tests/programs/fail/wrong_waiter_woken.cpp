// expect: deadlock
// message: signalled it, which woke thread
// executions: 2000
// One condition variable for producers and consumers, and notify_one: a signal for one kind wakes the other.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

class BoundedQueue {
 public:
  void put(int value) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return values_.empty(); });
    values_.push_back(value);
    changed_.notify_one();
  }
  int take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !values_.empty(); });
    const int value = values_.front();
    values_.pop_front();
    changed_.notify_one();
    return value;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> values_;
};

int main() {
  BoundedQueue queue;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      queue.put(1);
      queue.put(2);
    });
    threads.emplace_back([&] {
      queue.take();
      queue.take();
    });
  }
  for (std::thread& thread : threads) thread.join();
}
