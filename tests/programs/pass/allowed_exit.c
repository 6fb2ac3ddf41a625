// run: --allow-exit 3
// A status that was declared harmless.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value;

static void* work(void* argument) {
  atomic_store(&value, 3);
  return argument;
}

int main(void) {
  pthread_t thread;
  assert(pthread_create(&thread, NULL, work, NULL) == 0);
  const int seen = atomic_load(&value);
  assert(pthread_join(thread, NULL) == 0);
  return seen;
}
