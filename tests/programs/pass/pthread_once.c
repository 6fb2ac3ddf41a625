// pthread_once: once, and everybody waits for it.
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, value;

static void initialise(void) {
  ++calls;
  sched_yield();
  value = 42;
}

static void* work(void* argument) {
  assert(pthread_once(&once, initialise) == 0);
  assert(value == 42);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 3; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(calls == 1);
  return 0;
}
