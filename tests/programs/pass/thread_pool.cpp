// Tasks of type std::function through a queue to a pool; results come back through a latch.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int size) {
    for (int i = 0; i < size; ++i) workers_.emplace_back([this](std::stop_token stop) { run(stop); });
  }
  void post(std::function<void()> task) {
    {
      std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    condition_.notify_one();
  }

 private:
  void run(const std::stop_token& stop) {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        if (!condition_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::jthread> workers_;
};

int main() {
  std::vector<std::string> results(3);
  std::latch done(3);
  Pool pool(2);
  for (std::size_t i = 0; i < results.size(); ++i) {
    pool.post([&, i, prefix = std::string(20, 'a')] {
      results[i] = prefix + std::to_string(i);
      done.count_down();
    });
  }
  done.wait();
  for (const std::string& result : results) assert(result.size() == 21);
}
