// A queue of jobs with one worker. The one who closes it sets the flag and signals without holding the mutex:
// if that falls between the worker's look at the flag and its going to sleep, nobody is there to hear the
// signal, and the worker sleeps for ever: a lost wake-up.
//
//   heddle c++ -g -O1 work_queue.cpp -o work_queue && heddle run -- ./work_queue
//
// work_queue_fixed.cpp closes the queue under the mutex.
#include <atomic>
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
      if (closed_.load()) return std::nullopt;
      changed_.wait(lock);
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  void close() {
    closed_.store(true);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::atomic<bool> closed_{false};
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
