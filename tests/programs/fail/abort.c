// expect: abort
// abort() where two threads meet.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int inside;

static void* work(void* argument) {
  if (atomic_fetch_add(&inside, 1) != 0) abort();
  atomic_fetch_sub(&inside, 1);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
