// expect: lost wake-up
// message: the signal came before it waited
// Waits without a condition: a signal that came earlier is gone.
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable ready;
  std::thread notifier([&] {
    std::lock_guard lock(mutex);
    ready.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    ready.wait(lock);
  }
  notifier.join();
}
