// expect: non-zero exit status
// exit() with a status from a thread, while others run.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int count;

static void* work(void* argument) {
  const int seen = atomic_load(&count);
  if (atomic_exchange(&count, seen + 1) != seen) exit(3);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
