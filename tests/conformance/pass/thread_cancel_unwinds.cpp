// executions: 150
// skip: libc++ libc++abi 19 does not know the exception by which glibc cancels (it crashes natively, too)
//
// Cancellation unwinds C++ frames: destructors run, a catch (...) that throws on is passed, a lock is
// released.
#include <pthread.h>
#include <unistd.h>

#include <cassert>
#include <mutex>

std::mutex mutex;
int destroyed = 0;

struct Guard {
  ~Guard() { ++destroyed; }
};

void* work(void*) {
  const Guard outer;
  try {
    const std::lock_guard lock(mutex);
    const Guard inner;
    pause();
  } catch (...) {
    ++destroyed;
    throw;
  }
  return nullptr;
}

int main() {
  pthread_t thread;
  assert(pthread_create(&thread, nullptr, work, nullptr) == 0);
  assert(pthread_cancel(thread) == 0);
  void* result = nullptr;
  assert(pthread_join(thread, &result) == 0);
  assert(result == PTHREAD_CANCELED);
  assert(destroyed == 3);
  assert(mutex.try_lock());
  mutex.unlock();
}
