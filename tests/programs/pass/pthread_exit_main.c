// main leaves by pthread_exit: the process lives until its last thread ends, with status 0.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int finished;

static void* work(void* argument) {
  (void)argument;
  sched_yield();
  atomic_fetch_add(&finished, 1);
  return NULL;
}

static void at_exit(void) { assert(atomic_load(&finished) == 1); }

int main(void) {
  atexit(at_exit);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, work, NULL) == 0);
  assert(pthread_detach(thread) == 0);
  pthread_exit(NULL);
}
