// expect: lost wake-up
// message: the signal came before it waited
// executions: 2000
// The flag is set and the signal given without the mutex: both can fall between the waiter's look and its
// sleep.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    std::unique_lock lock(mutex);
    while (!stop.load()) changed.wait(lock);
  });
  stop.store(true);
  changed.notify_one();
  worker.join();
}
