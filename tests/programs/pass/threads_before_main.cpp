// A worker that a global constructor starts and a global destructor joins.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Worker {
 public:
  Worker() : thread_([this] { run(); }) {}
  ~Worker() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
      changed_.notify_all();
    }
    thread_.join();
    assert(done_ == 2);
  }
  void post() {
    std::lock_guard lock(mutex_);
    ++posted_;
    changed_.notify_all();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stop_ || done_ < posted_; });
      if (done_ == posted_) return;
      ++done_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int posted_ = 0, done_ = 0;
  bool stop_ = false;
  std::thread thread_;  // last: starts when all else is there
};

Worker worker;

int main() {
  worker.post();
  worker.post();
}
