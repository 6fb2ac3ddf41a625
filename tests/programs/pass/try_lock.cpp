// try_lock either takes the mutex or fails at once; the critical section is never shared.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  int inside = 0, entered = 0;
  std::atomic<int> failed{0};
  const auto work = [&] {
    for (int i = 0; i < 3; ++i) {
      if (!mutex.try_lock()) {
        failed.fetch_add(1);
        continue;
      }
      assert(++inside == 1);
      std::this_thread::yield();
      ++entered;
      --inside;
      mutex.unlock();
    }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(entered + failed.load() == 6 && entered >= 1);
}
