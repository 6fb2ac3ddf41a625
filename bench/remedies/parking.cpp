// A worker that goes to sleep when there is nothing to do, and a sender that wakes it only when it sleeps.
// The worker says that it will sleep and looks once more for work; the sender puts the work down and looks
// for the sleeper. Both of the sender's steps are too weak for that: it may look first, and the worker sleeps
// beside its work.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

#ifdef FIXED
constexpr std::memory_order kPutDown = std::memory_order_seq_cst;
constexpr std::memory_order kLookForSleeper = std::memory_order_seq_cst;
#else
constexpr std::memory_order kPutDown = std::memory_order_release;
constexpr std::memory_order kLookForSleeper = std::memory_order_acquire;
#endif

// Where a thread sleeps until somebody calls.
class Bed {
 public:
  void sleep() {
    std::unique_lock<std::mutex> lock(mutex_);
    called_.wait(lock, [this] { return call_; });
    call_ = false;
  }

  void call() {
    std::lock_guard<std::mutex> lock(mutex_);
    call_ = true;
    called_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable called_;
  bool call_ = false;
};

class Inbox {
 public:
  // By one sender.
  void send(int parcels) {
    parcels_.store(parcels, kPutDown);
    if (sleeper_.load(kLookForSleeper)) bed_.call();
  }

  // By one worker: waits for the first parcels.
  int receive() {
    for (;;) {
      if (const int parcels = parcels_.load(std::memory_order_acquire)) return parcels;
      sleeper_.store(true, std::memory_order_seq_cst);
      if (parcels_.load(std::memory_order_seq_cst) == 0) bed_.sleep();
      sleeper_.store(false, std::memory_order_relaxed);
    }
  }

 private:
  std::atomic<int> parcels_{0};
  std::atomic<bool> sleeper_{false};
  Bed bed_;
};

int main() {
  Inbox inbox;
  int received = 0;
  std::thread worker([&inbox, &received] { received = inbox.receive(); });
  inbox.send(3);
  worker.join();
  assert(received == 3);
}
