// expect: abort
// message: swallowed
// libc calls this "exception not rethrown" and aborts.
#include <pthread.h>
#include <unistd.h>

void* work(void*) {
  try {
    pause();
  } catch (...) {
  }
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, work, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
}
