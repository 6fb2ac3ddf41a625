// errno belongs to the thread, across every switch.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <unistd.h>

static void* work(void* argument) {
  for (int i = 0; i < 4; ++i) {
    errno = (int)(intptr_t)argument;
    sched_yield();
    assert(errno == (int)(intptr_t)argument);
  }
  assert(close(-1) == -1);
  sched_yield();
  assert(errno == EBADF);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  errno = 100;
  for (intptr_t i = 0; i < 3; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)(i + 1)) == 0);
  sched_yield();
  assert(errno == 100);
  for (int i = 0; i < 3; ++i) assert(pthread_join(threads[i], NULL) == 0);
  return 0;
}
