// executions: 20
// Joins that do not wait, or not for ever; 300 threads at once; a thread that outlives main's wish to
// wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <time.h>

static sem_t go;

static void* work(void* argument) {
  assert(sem_wait(&go) == 0);
  return argument;
}

int main(void) {
  assert(sem_init(&go, 0, 0) == 0);
  pthread_t thread;
  void* result;
  struct timespec time;
  assert(pthread_create(&thread, NULL, work, (void*)5) == 0);
  assert(pthread_tryjoin_np(thread, &result) == EBUSY);
  assert(clock_gettime(CLOCK_REALTIME, &time) == 0);
  ++time.tv_sec;
  assert(pthread_timedjoin_np(thread, &result, &time) == ETIMEDOUT);
  assert(clock_gettime(CLOCK_MONOTONIC, &time) == 0);
  ++time.tv_sec;
  assert(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &time) == ETIMEDOUT);
  assert(sem_post(&go) == 0);
  ++time.tv_sec;
  assert(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &time) == 0);
  assert((intptr_t)result == 5);

  enum { kThreads = 300 };
  static pthread_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)i) == 0);
  for (int i = 0; i < kThreads; ++i) assert(sem_post(&go) == 0);
  for (intptr_t i = 0; i < kThreads; ++i) {
    assert(pthread_join(threads[i], &result) == 0);
    assert((intptr_t)result == i);
  }
  return 0;
}
