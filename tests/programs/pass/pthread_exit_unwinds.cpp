// pthread_exit runs the destructors of the frames that it leaves.
#include <pthread.h>

#include <atomic>
#include <cassert>

std::atomic<int> destroyed{0};

struct Guard {
  ~Guard() { destroyed.fetch_add(1); }
};

void leave() {
  Guard guard;
  pthread_exit(nullptr);
}

void* work(void*) {
  Guard guard;
  leave();
  assert(false);
  return nullptr;
}

int main() {
  pthread_t threads[2];
  for (auto& thread : threads) assert(pthread_create(&thread, nullptr, work, nullptr) == 0);
  for (auto& thread : threads) assert(pthread_join(thread, nullptr) == 0);
  assert(destroyed.load() == 4);
}
