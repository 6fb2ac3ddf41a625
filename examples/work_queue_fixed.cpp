// The queue of work_queue.cpp, mended: the flag changes under the mutex, so a worker has either seen it or is
// asleep and hears the signal.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

class WorkQueue {
 public:
  using Job = std::function<void()>;

  void push(Job job) {
    std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    changed_.notify_one();
  }

  // The next job; nothing when the queue is closed and empty.
  std::optional<Job> pop() {
    std::unique_lock lock(mutex_);
    while (jobs_.empty()) {
      if (closed_) return std::nullopt;
      changed_.wait(lock);
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

int main() {
  WorkQueue queue;
  int done = 0;
  std::thread worker([&] {
    while (auto job = queue.pop()) (*job)();
  });
  queue.push([&] { ++done; });
  queue.push([&] { ++done; });
  queue.close();
  worker.join();
  assert(done == 2);
}
