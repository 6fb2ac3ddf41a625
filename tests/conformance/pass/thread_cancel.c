// executions: 150
// Cancellation points: a wait on a condition variable (which takes the mutex again), sem_wait, sleep,
// join, read.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static int cleaned;

static void unlock(void* held) {
  ++cleaned;
  assert(pthread_mutex_unlock(held) == 0);
}

static void* wait_on_condition(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}
static void* wait_on_semaphore(void* unused) {
  sem_wait(&semaphore);
  return unused;
}
static void* sleep_for_ever(void* unused) {
  for (;;) sleep(1);
  return unused;
}
static void* read_nothing(void* unused) {
  char byte;
  assert(read(ends[0], &byte, 1) == 1);
  return unused;
}
static void* join_sleeper(void* unused) {
  pthread_t sleeper;
  assert(pthread_create(&sleeper, NULL, sleep_for_ever, NULL) == 0);
  assert(pthread_detach(sleeper) == 0);
  for (;;) pause();
  return unused;
}

int main(void) {
  void* (*const functions[])(void*) = {wait_on_condition, wait_on_semaphore, sleep_for_ever, read_nothing,
                                       join_sleeper};
  assert(sem_init(&semaphore, 0, 0) == 0);
  assert(pipe(ends) == 0);
  for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    pthread_t thread;
    void* result = NULL;
    assert(pthread_create(&thread, NULL, functions[i], NULL) == 0);
    assert(pthread_cancel(thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == PTHREAD_CANCELED);
  }
  // The mutex is free: whoever was cancelled in the wait has unlocked it.
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(cleaned <= 1);
  return 0;
}
