// A heap whose objects are moved by a collector while the program's thread is outside of it. The thread says that it is
// inside and looks whether the collector wants it to stop; the collector says that it wants it and looks whether the
// thread is inside. The thread's two steps, which it takes every time it comes in, were made cheaper than they may be.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#ifdef CORRECT
constexpr std::memory_order kComeIn = std::memory_order_seq_cst;
constexpr std::memory_order kLookForStop = std::memory_order_seq_cst;
#else
constexpr std::memory_order kComeIn = std::memory_order_release;
constexpr std::memory_order kLookForStop = std::memory_order_acquire;
#endif

class Safepoint {
 public:
  // By the program's thread.
  void enter() {
    for (;;) {
      inside_.store(true, kComeIn);
      if (!stop_.load(kLookForStop)) return;
      inside_.store(false, std::memory_order_release);
      std::unique_lock<std::mutex> lock(mutex_);
      resumed_.wait(lock, [this] { return !stop_.load(std::memory_order_acquire); });
    }
  }

  void leave() { inside_.store(false, std::memory_order_release); }

  // By the collector: true if the thread is outside and stays there until resume().
  bool stop() {
    stop_.store(true, std::memory_order_seq_cst);
    if (!inside_.load(std::memory_order_seq_cst)) return true;
    resume();
    return false;
  }

  void resume() {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_.store(false, std::memory_order_release);
    resumed_.notify_one();
  }

 private:
  std::atomic<bool> inside_{false};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable resumed_;
};

struct Object {
  int value = 0;
};

class Heap {
 public:
  Heap() : root_(std::make_unique<Object>()) {}

  void increment() {
    safepoint_.enter();
    ++root_->value;
    safepoint_.leave();
  }

  // True if the object was moved.
  bool collect() {
    if (!safepoint_.stop()) return false;
    auto moved = std::make_unique<Object>(*root_);
    root_->value = -1000;
    root_ = std::move(moved);
    safepoint_.resume();
    return true;
  }

  int value() const { return root_->value; }

 private:
  Safepoint safepoint_;
  std::unique_ptr<Object> root_;
};

int main() {
  Heap heap;
  int collections = 0;
  std::thread collector([&heap, &collections] {
    for (int round = 0; round < 2; ++round) collections += heap.collect() ? 1 : 0;
  });
  for (int round = 0; round < 2; ++round) heap.increment();
  collector.join();
  assert(heap.value() == 2);
  assert(collections <= 2);
}
