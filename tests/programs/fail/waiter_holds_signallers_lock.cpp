// expect: deadlock
// message: T1 waits for a signal of 'unpinned' from T0, T0 waits for 'index_lock' held by T1
// The one who would signal needs a lock that the waiter holds. An earlier signal met nobody, as is normal.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex index_lock, mutex;
std::condition_variable unpinned;
int pins = 0;

void pin() {
  std::lock_guard lock(mutex);
  ++pins;
}

void unpin() {
  std::lock_guard lock(mutex);
  if (--pins == 0) unpinned.notify_all();
}

int main() {
  pin();
  unpin();
  pin();
  std::thread compactor([] {
    std::lock_guard index(index_lock);
    std::unique_lock lock(mutex);
    unpinned.wait(lock, [] { return pins == 0; });
  });
  {
    std::lock_guard index(index_lock);
  }
  unpin();
  compactor.join();
}
