// Detached threads work, and may be running still when main returns.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Shared {
  std::mutex mutex;
  std::condition_variable done;
  int finished = 0;
};

int main() {
  auto& shared = *new Shared;  // never destroyed: the threads may outlive main's locals
  for (int i = 0; i < 3; ++i) {
    std::thread([&shared] {
      std::lock_guard lock(shared.mutex);
      ++shared.finished;
      shared.done.notify_one();
    }).detach();
  }
  std::unique_lock lock(shared.mutex);
  shared.done.wait(lock, [&] { return shared.finished >= 2; });
  assert(shared.finished == 2 || shared.finished == 3);
}
