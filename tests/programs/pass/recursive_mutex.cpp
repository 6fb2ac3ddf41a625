// A recursive mutex counts its owner's locks and keeps the others out until the last unlock.
#include <cassert>
#include <mutex>
#include <thread>

std::recursive_mutex mutex;
int depth = 0, entries = 0;

void enter(int levels) {
  std::lock_guard lock(mutex);
  const int here = ++depth;
  ++entries;
  if (levels > 1) enter(levels - 1);
  assert(depth == here);
  --depth;
}

int main() {
  std::thread first([] { enter(3); });
  std::thread second([] {
    enter(2);
    if (mutex.try_lock()) {
      assert(depth == 0 && mutex.try_lock());  // its own lock is no obstacle
      mutex.unlock();
      mutex.unlock();
    }
  });
  first.join();
  second.join();
  assert(depth == 0 && entries == 5);
}
