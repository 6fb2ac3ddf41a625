// flags: -D_GNU_SOURCE
// case: excludes
// case: recursive
// case: error_checking
// case: adaptive
// case: robust
// case: robust_not_recoverable
// case: timed
// case: timed_out
// case: failed_try_lock_orders_nothing => data race: two accesses
// case: priority
// case: in_zeroed_memory
// case: initialised_again
#include <errno.h>
#include <stdlib.h>

#include "cases.h"

static pthread_mutex_t mutex;
static int shared, in_turn;

static void make(int type, int robust) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED);
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
}

static void* add(void* times) {
  for (int* i = times; *i < 2; ++*i) {
    assert(pthread_mutex_lock(&mutex) == 0);
    ++shared;
    assert(pthread_mutex_unlock(&mutex) == 0);
  }
  return NULL;
}

static void count_to_four(void) {
  int first = 0, second = 0;
  shared = 0;
  pthread_t other = start(add, &first);
  add(&second);
  join(other);
  assert(shared == 4);
  assert(pthread_mutex_destroy(&mutex) == 0);
}

static void excludes(void) {
  make(PTHREAD_MUTEX_NORMAL, 0);
  count_to_four();
}

static void adaptive(void) {
  make(PTHREAD_MUTEX_ADAPTIVE_NP, 0);
  count_to_four();
}

static void* try_once(void* unused) {
  (void)unused;
  int error = pthread_mutex_trylock(&mutex);
  if (error == 0) pthread_mutex_unlock(&mutex);
  return error == EBUSY ? &mutex : NULL;
}

static void recursive(void) {
  make(PTHREAD_MUTEX_RECURSIVE, 0);
  assert(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
  assert(pthread_mutex_trylock(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  assert(join(start(try_once, NULL)) == &mutex);
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  assert(join(start(try_once, NULL)) == NULL);
  count_to_four();
}

static void* unlock_wrongly(void* unused) {
  (void)unused;
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  return NULL;
}

static void error_checking(void) {
  make(PTHREAD_MUTEX_ERRORCHECK, 0);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == EDEADLK);
  assert(pthread_mutex_trylock(&mutex) == EBUSY);
  join(start(unlock_wrongly, NULL));
  assert(pthread_mutex_unlock(&mutex) == 0);
  count_to_four();
}

static void* die_with_lock(void* unused) {
  (void)unused;
  assert(pthread_mutex_lock(&mutex) == 0);
  shared = 7;
  return NULL;
}

static void robust(void) {
  make(PTHREAD_MUTEX_NORMAL, 1);
  assert(pthread_mutex_consistent(&mutex) == EINVAL);
  pthread_t other = start(die_with_lock, NULL);
  int error = pthread_mutex_lock(&mutex);
  if (error == EOWNERDEAD) {
    assert(shared == 7);  // what the dead owner did happened before
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
    assert(pthread_mutex_lock(&mutex) == 0);
  } else {
    assert(error == 0);
  }
  assert(pthread_mutex_unlock(&mutex) == 0);
  join(other);
  if (error == 0) {
    assert(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
    assert(pthread_mutex_consistent(&mutex) == 0);
    assert(pthread_mutex_unlock(&mutex) == 0);
  }
  assert(pthread_mutex_destroy(&mutex) == 0);
}

static void* wait_for_lock(void* unused) {
  (void)unused;
  int error = pthread_mutex_lock(&mutex);
  assert(error == 0 || error == EOWNERDEAD || error == ENOTRECOVERABLE);
  if (error == EOWNERDEAD) pthread_mutex_consistent(&mutex);
  if (error != ENOTRECOVERABLE) pthread_mutex_unlock(&mutex);
  return NULL;
}

static void robust_not_recoverable(void) {
  make(PTHREAD_MUTEX_NORMAL, 1);
  join(start(die_with_lock, NULL));
  assert(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  pthread_t waiter = start(wait_for_lock, NULL);
  assert(pthread_mutex_unlock(&mutex) == 0);  // without pthread_mutex_consistent
  assert(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
  assert(pthread_mutex_trylock(&mutex) == ENOTRECOVERABLE);
  join(waiter);
  assert(pthread_mutex_destroy(&mutex) == 0);
}

static void* lock_for_a_while(void* unused) {
  (void)unused;
  for (int clock = 0; clock < 2; ++clock) {
    struct timespec until = in_time(clock == 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, 20);
    int error = clock == 0 ? pthread_mutex_timedlock(&mutex, &until)
                           : pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until);
    assert(error == 0 || error == ETIMEDOUT);
    if (error != 0) continue;
    ++in_turn;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void timed(void) {
  make(PTHREAD_MUTEX_NORMAL, 0);
  pthread_t other = start(lock_for_a_while, NULL);
  lock_for_a_while(NULL);
  join(other);
  assert(in_turn >= 1 && in_turn <= 4);
  struct timespec wrong = {0, 1000000000};
  pthread_mutex_lock(&mutex);
  assert(pthread_mutex_timedlock(&mutex, &wrong) == EINVAL);
  assert(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &wrong) == EINVAL);
  pthread_mutex_unlock(&mutex);
}

static void* time_out(void* unused) {
  (void)unused;
  struct timespec before, until = in_time(CLOCK_MONOTONIC, 50);
  assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT);
  clock_gettime(CLOCK_MONOTONIC, &before);
  assert(before.tv_sec > until.tv_sec || (before.tv_sec == until.tv_sec && before.tv_nsec >= until.tv_nsec));
  return NULL;
}

static void timed_out(void) {
  make(PTHREAD_MUTEX_NORMAL, 0);
  pthread_mutex_lock(&mutex);
  join(start(time_out, NULL));
  pthread_mutex_unlock(&mutex);
}

static void* hold(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  shared = 1;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void failed_try_lock_orders_nothing(void) {
  make(PTHREAD_MUTEX_NORMAL, 0);
  pthread_t other = start(hold, NULL);
  if (pthread_mutex_trylock(&mutex) == EBUSY)
    shared = 2;
  else
    pthread_mutex_unlock(&mutex);
  join(other);
}

static void priority(void) {
  pthread_mutexattr_t attributes;
  int ceiling = 0, old = 0;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
  pthread_mutexattr_setprioceiling(&attributes, 5);
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 5);
  assert(pthread_mutex_setprioceiling(&mutex, 9, &old) == 0 && old == 5);
  assert(pthread_mutex_getprioceiling(&mutex, &ceiling) == 0 && ceiling == 9);
  // Not for those above the ceiling.
  struct sched_param above = {.sched_priority = 10};
  assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &above) == 0);
  assert(pthread_mutex_lock(&mutex) == EINVAL && pthread_mutex_trylock(&mutex) == EINVAL);
  struct sched_param ordinary = {.sched_priority = 0};
  assert(pthread_setschedparam(pthread_self(), SCHED_OTHER, &ordinary) == 0);
  count_to_four();
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  count_to_four();
}

static void in_zeroed_memory(void) {
  pthread_mutex_t* fresh = calloc(1, sizeof *fresh);
  assert(pthread_mutex_lock(fresh) == 0 && pthread_mutex_unlock(fresh) == 0);
  free(fresh);
  static pthread_mutex_t constant = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  assert(pthread_mutex_lock(&constant) == 0 && pthread_mutex_lock(&constant) == 0);
  assert(pthread_mutex_unlock(&constant) == 0 && pthread_mutex_unlock(&constant) == 0);
}

static void initialised_again(void) {
  for (int i = 0; i < 3; ++i) {
    make(i == 1 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL, 0);
    count_to_four();
  }
}

RUN_CASES({"excludes", excludes}, {"recursive", recursive}, {"error_checking", error_checking},
          {"adaptive", adaptive}, {"robust", robust}, {"robust_not_recoverable", robust_not_recoverable},
          {"timed", timed}, {"timed_out", timed_out},
          {"failed_try_lock_orders_nothing", failed_try_lock_orders_nothing}, {"priority", priority},
          {"in_zeroed_memory", in_zeroed_memory}, {"initialised_again", initialised_again})
