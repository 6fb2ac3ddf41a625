// flags: -D_GNU_SOURCE
// case: hands_over
// case: broadcast
// case: timed_by_each_clock
// case: times_out_with_nobody
// case: time_has_passed
// case: spurious_wake_ups_happen => assertion failure: ready
// case: short_waits_time_out_early => assertion failure: error == 0
// case: destroyed_after_broadcast
// case: recursive_mutex
#include <errno.h>

#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready, seen;

static void* announce(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void* wait_until_ready(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!ready) assert(pthread_cond_wait(&condition, &mutex) == 0);
  ++seen;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void hands_over(void) {
  pthread_t other = start(announce, NULL);
  wait_until_ready(NULL);
  join(other);
  assert(pthread_cond_destroy(&condition) == 0);
}

static void broadcast(void) {
  pthread_t a = start(wait_until_ready, NULL), b = start(wait_until_ready, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  assert(pthread_cond_broadcast(&condition) == 0);
  join(a);
  join(b);
  assert(seen == 2);
}

static void timed_by_each_clock(void) {
  pthread_condattr_t attributes;
  pthread_cond_t monotonic;
  clockid_t clock;
  pthread_condattr_init(&attributes);
  assert(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0);
  assert(pthread_condattr_getclock(&attributes, &clock) == 0 && clock == CLOCK_MONOTONIC);
  assert(pthread_cond_init(&monotonic, &attributes) == 0);
  pthread_t other = start(announce, NULL);
  pthread_mutex_lock(&mutex);
  struct timespec until = in_time(CLOCK_REALTIME, 5000);
  while (!ready) assert(pthread_cond_timedwait(&condition, &mutex, &until) == 0);
  until = in_time(CLOCK_MONOTONIC, 10);
  int error;
  while ((error = pthread_cond_timedwait(&monotonic, &mutex, &until)) == 0) {
  }
  assert(error == ETIMEDOUT);
  until = in_time(CLOCK_MONOTONIC, 10);
  while ((error = pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until)) == 0) {
  }
  assert(error == ETIMEDOUT);
  until.tv_nsec = -1;
  assert(pthread_cond_timedwait(&condition, &mutex, &until) == EINVAL);
  pthread_mutex_unlock(&mutex);
  join(other);
  pthread_cond_destroy(&monotonic);
}

static void* do_nothing(void* unused) { return unused; }

static void times_out_with_nobody(void) {
  pthread_t other = start(do_nothing, NULL);
  struct timespec until = in_time(CLOCK_REALTIME, 3600 * 1000);
  int error;
  pthread_mutex_lock(&mutex);
  while ((error = pthread_cond_timedwait(&condition, &mutex, &until)) == 0) {
  }
  assert(error == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  join(other);
}

static void time_has_passed(void) {
  pthread_t other = start(do_nothing, NULL);
  struct timespec until = {0, 0};
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 3; ++i) assert(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  join(other);
}

static void spurious_wake_ups_happen(void) {
  pthread_t other = start(announce, NULL);
  pthread_mutex_lock(&mutex);
  if (!ready) pthread_cond_wait(&condition, &mutex);
  assert(ready);
  pthread_mutex_unlock(&mutex);
  join(other);
}

static void short_waits_time_out_early(void) {
  pthread_t other = start(announce, NULL);
  struct timespec until = in_time(CLOCK_REALTIME, 10);
  pthread_mutex_lock(&mutex);
  int error = 0;
  while (!ready && error == 0) error = pthread_cond_timedwait(&condition, &mutex, &until);
  assert(error == 0);
  pthread_mutex_unlock(&mutex);
  join(other);
}

// POSIX: safe once nobody is blocked, even if the woken have not returned yet.
static void destroyed_after_broadcast(void) {
  pthread_cond_t own = PTHREAD_COND_INITIALIZER;
  (void)own;
  pthread_t other = start(wait_until_ready, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&condition);
  pthread_cond_destroy(&condition);
  pthread_mutex_unlock(&mutex);
  join(other);
}

static void recursive_mutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  struct timespec until = in_time(CLOCK_REALTIME, 10);
  assert(pthread_cond_timedwait(&condition, &mutex, &until) == EPERM);
  hands_over();
}

RUN_CASES({"hands_over", hands_over}, {"broadcast", broadcast}, {"timed_by_each_clock", timed_by_each_clock},
          {"times_out_with_nobody", times_out_with_nobody}, {"time_has_passed", time_has_passed},
          {"spurious_wake_ups_happen", spurious_wake_ups_happen},
          {"short_waits_time_out_early", short_waits_time_out_early},
          {"destroyed_after_broadcast", destroyed_after_broadcast}, {"recursive_mutex", recursive_mutex})
