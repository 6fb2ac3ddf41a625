// expect: fatal signal
// message: SIGILL
// __builtin_trap on a path that should not be reached.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int state;

static void* work(void* argument) {
  atomic_store(&state, 1);
  atomic_store(&state, 2);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (atomic_load(&state) == 1) __builtin_trap();
  pthread_join(thread, NULL);
  return 0;
}
