// expect: assertion failure
// A detached thread is at work while main's statics are being destroyed.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> destroyed{false};

struct Registry {
  ~Registry() {
    destroyed.store(true);
    std::this_thread::yield();
  }
} registry;

int main() {
  std::thread([] {
    for (int i = 0; i < 5; ++i) assert(!destroyed.load());
  }).detach();
}
