// expect: data race
// message: (mutexes: write M1)
// message: (mutexes: write M2)
// message: 'first' (0x
// message: 'second' (0x
// message: Location is global 'shared' of size 12
// message: here shared.count
// Each side takes a lock, but not the same one; a condition wait gives its lock back and takes it again.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Shared {
  int unused[2];
  int count;
} shared;

std::mutex first, second;
std::condition_variable condition;

int main() {
  std::thread other([] {
    std::lock_guard lock(first);
    ++shared.count;
  });
  {
    std::unique_lock lock(second);
    condition.wait_for(lock, std::chrono::milliseconds(1));
    ++shared.count;
  }
  other.join();
}
