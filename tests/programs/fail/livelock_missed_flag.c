// expect: livelock
// executions: 60
// A spinning thread waits for a value that another one has already written over.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int stage;

static void* advance(void* argument) {
  atomic_store(&stage, 1);
  atomic_store(&stage, 2);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, advance, NULL);
  while (atomic_load(&stage) != 1) {
  }
  pthread_join(thread, NULL);
  return 0;
}
