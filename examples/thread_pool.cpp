// A pool of threads that refuses work once it is stopping. submit() checks for that before it takes the lock:
// the pool can stop in between, and then a task is accepted that no thread will ever run. The assertion at
// the end of main sees it.
//
//   heddle c++ -g -O1 thread_pool.cpp -o thread_pool && heddle run -- ./thread_pool
//
// thread_pool_fixed.cpp checks under the lock.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

class ThreadPool {
 public:
  using Task = std::function<void()>;

  explicit ThreadPool(int size) {
    for (int i = 0; i < size; ++i) threads_.emplace_back([this] { run(); });
  }
  ~ThreadPool() { stop(); }

  // Accepts a task, unless the pool is stopping. An accepted task is run.
  bool submit(Task task) {
    if (stopping_.load()) return false;
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
    return true;
  }

  // Runs what was accepted and ends the threads.
  void stop() {
    {
      std::lock_guard lock(mutex_);
      stopping_.store(true);
      changed_.notify_all();
    }
    for (auto& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_.load() || !tasks_.empty(); });
      if (tasks_.empty()) return;
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

int main() {
  std::atomic<int> done{0}, accepted{0};
  ThreadPool pool(1);
  std::thread client([&] {
    for (int i = 0; i < 2; ++i) {
      if (pool.submit([&] { done.fetch_add(1); })) accepted.fetch_add(1);
    }
  });
  pool.stop();
  client.join();
  assert(done.load() == accepted.load());
}
