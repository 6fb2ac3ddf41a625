// expect: deadlock
// Joins a thread while holding what that thread needs.
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  int value = 0;
  std::thread thread([&] {
    std::lock_guard lock(mutex);
    ++value;
  });
  std::lock_guard lock(mutex);
  thread.join();
}
