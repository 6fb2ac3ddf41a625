// flags: -D_GNU_SOURCE
// case: rwlock
// case: rwlock_tries
// case: rwlock_timed
// case: rwlock_readers_are_not_ordered => data race: two accesses
// case: rwlock_prefers_writers => deadlock: waits to read it once more
// case: rwlock_prefers_readers
// case: spin_lock
// case: barrier
// case: barrier_orders_both_ways
// case: semaphore
// case: semaphore_timed
// case: named_semaphore
// case: once
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int data, other_data;

static void* write_both(void* unused) {
  assert(pthread_rwlock_wrlock(&rwlock) == 0);
  ++data;
  ++other_data;
  assert(pthread_rwlock_unlock(&rwlock) == 0);
  return unused;
}

static void* read_both(void* unused) {
  assert(pthread_rwlock_rdlock(&rwlock) == 0);
  assert(pthread_rwlock_rdlock(&rwlock) == 0);
  assert(data == other_data);
  assert(pthread_rwlock_unlock(&rwlock) == 0);
  assert(pthread_rwlock_unlock(&rwlock) == 0);
  return unused;
}

static void test_rwlock(void) {
  pthread_t a = start(write_both, NULL), b = start(read_both, NULL), c = start(write_both, NULL);
  read_both(NULL);
  join(a);
  join(b);
  join(c);
  assert(data == 2);
  assert(pthread_rwlock_destroy(&rwlock) == 0);
}

static void* try_rwlock(void* unused) {
  (void)unused;
  assert(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
  assert(pthread_rwlock_tryrdlock(&rwlock) == 0);
  pthread_rwlock_unlock(&rwlock);
  return NULL;
}

static void* try_rwlock_in_vain(void* unused) {
  (void)unused;
  assert(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
  assert(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
  return NULL;
}

static void rwlock_tries(void) {
  pthread_rwlock_rdlock(&rwlock);
  join(start(try_rwlock, NULL));
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_wrlock(&rwlock);
  assert(pthread_rwlock_wrlock(&rwlock) == EDEADLK && pthread_rwlock_rdlock(&rwlock) == EDEADLK);
  join(start(try_rwlock_in_vain, NULL));
  pthread_rwlock_unlock(&rwlock);
}

static void* time_out_of_rwlock(void* unused) {
  (void)unused;
  struct timespec realtime = in_time(CLOCK_REALTIME, 10), monotonic = in_time(CLOCK_MONOTONIC, 20);
  assert(pthread_rwlock_timedrdlock(&rwlock, &realtime) == ETIMEDOUT);
  assert(pthread_rwlock_timedwrlock(&rwlock, &realtime) == ETIMEDOUT);
  assert(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
  assert(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &monotonic) == ETIMEDOUT);
  return NULL;
}

static void rwlock_timed(void) {
  pthread_rwlock_wrlock(&rwlock);
  join(start(time_out_of_rwlock, NULL));
  pthread_rwlock_unlock(&rwlock);
  struct timespec realtime = in_time(CLOCK_REALTIME, 10);
  assert(pthread_rwlock_timedrdlock(&rwlock, &realtime) == 0);
  pthread_rwlock_unlock(&rwlock);
}

static void* write_as_reader(void* unused) {
  pthread_rwlock_rdlock(&rwlock);
  data = 1;
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

static void rwlock_readers_are_not_ordered(void) {
  pthread_t other = start(write_as_reader, NULL);
  write_as_reader(NULL);
  join(other);
}

static void make_rwlock(int kind) {
  pthread_rwlockattr_t attributes;
  int found = -1;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, kind);
  assert(pthread_rwlockattr_getkind_np(&attributes, &found) == 0 && found == kind);
  assert(pthread_rwlock_init(&rwlock, &attributes) == 0);
}

// Behind a waiting writer the second read lock of one thread waits for ever.
static void rwlock_prefers_writers(void) {
  make_rwlock(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_t other = start(write_both, NULL);
  read_both(NULL);
  join(other);
}

static void rwlock_prefers_readers(void) {
  make_rwlock(PTHREAD_RWLOCK_PREFER_READER_NP);
  pthread_t other = start(write_both, NULL);
  read_both(NULL);
  join(other);
}

static pthread_spinlock_t spin;

static void* spin_and_add(void* unused) {
  for (int i = 0; i < 2; ++i) {
    if (i == 0 || pthread_spin_trylock(&spin) != 0) pthread_spin_lock(&spin);
    ++data;
    pthread_spin_unlock(&spin);
  }
  return unused;
}

static void spin_lock(void) {
  for (int i = 0; i < 2; ++i) {
    data = 0;
    assert(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE) == 0);
    pthread_t other = start(spin_and_add, NULL);
    spin_and_add(NULL);
    join(other);
    assert(data == 4);
    assert(pthread_spin_destroy(&spin) == 0);
  }
}

static pthread_barrier_t barrier;
static atomic_int arrived, serial;

static void* meet(void* unused) {
  for (int round = 1; round <= 2; ++round) {
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    int result = pthread_barrier_wait(&barrier);
    assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
    if (result != 0) atomic_fetch_add(&serial, 1);
    assert(atomic_load_explicit(&arrived, memory_order_relaxed) >= 3 * round);
  }
  return unused;
}

static void test_barrier(void) {
  assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
  assert(pthread_barrier_init(&barrier, NULL, 3) == 0);
  pthread_t a = start(meet, NULL), b = start(meet, NULL);
  meet(NULL);
  join(a);
  join(b);
  assert(serial == 2);
  assert(pthread_barrier_destroy(&barrier) == 0);
}

static int slots[2], sums[2];

static void* exchange(void* which) {
  int me = which != NULL;
  slots[me] = me + 1;
  pthread_barrier_wait(&barrier);
  sums[me] = slots[0] + slots[1];
  return NULL;
}

static void barrier_orders_both_ways(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t other = start(exchange, &data);
  exchange(NULL);
  join(other);
  assert(sums[0] == 3 && sums[1] == 3);
}

static sem_t semaphore;

static void* produce(void* unused) {
  data = 1;
  assert(sem_post(&semaphore) == 0);
  assert(sem_post(&semaphore) == 0);
  return unused;
}

static void test_semaphore(void) {
  int value = -1;
  assert(sem_init(&semaphore, 0, 1) == 0);
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);
  assert(sem_trywait(&semaphore) == 0);
  assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
  pthread_t other = start(produce, NULL);
  assert(sem_wait(&semaphore) == 0);
  assert(data == 1);
  assert(sem_wait(&semaphore) == 0);
  join(other);
  assert(sem_getvalue(&semaphore, &value) == 0 && value == 0);
  assert(sem_destroy(&semaphore) == 0);
}

static void semaphore_timed(void) {
  sem_init(&semaphore, 0, 0);
  pthread_t other = start(produce, NULL);
  struct timespec until = in_time(CLOCK_REALTIME, 60000);
  assert(sem_timedwait(&semaphore, &until) == 0);
  until = in_time(CLOCK_MONOTONIC, 60000);
  assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0);
  until = in_time(CLOCK_REALTIME, 10);
  assert(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
  until.tv_nsec = -1;
  assert(sem_timedwait(&semaphore, &until) == -1 && errno == EINVAL);
  join(other);
}

static void* post_by_name(void* unused) {
  sem_t* same = sem_open("/heddle-conformance", 0);
  assert(same != SEM_FAILED);
  data = 1;
  sem_post(same);
  sem_close(same);
  return unused;
}

static void named_semaphore(void) {
  sem_unlink("/heddle-conformance");
  assert(sem_open("/heddle-conformance", 0) == SEM_FAILED && errno == ENOENT);
  sem_t* named = sem_open("/heddle-conformance", O_CREAT | O_EXCL, 0600, 0);
  assert(named != SEM_FAILED);
  assert(sem_open("/heddle-conformance", O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
  pthread_t other = start(post_by_name, NULL);
  assert(sem_wait(named) == 0);
  assert(data == 1);
  join(other);
  assert(sem_unlink("/heddle-conformance") == 0);
  assert(sem_unlink("/heddle-conformance") == -1 && errno == ENOENT);
  assert(sem_close(named) == 0);
}

static pthread_once_t flag = PTHREAD_ONCE_INIT;

static void initialise(void) { ++data; }

static void* initialise_once(void* unused) {
  assert(pthread_once(&flag, initialise) == 0);
  assert(data == 1);
  return unused;
}

static void once(void) {
  pthread_t a = start(initialise_once, NULL), b = start(initialise_once, NULL);
  initialise_once(NULL);
  join(a);
  join(b);
}

RUN_CASES({"rwlock", test_rwlock}, {"rwlock_tries", rwlock_tries}, {"rwlock_timed", rwlock_timed},
          {"rwlock_readers_are_not_ordered", rwlock_readers_are_not_ordered},
          {"rwlock_prefers_writers", rwlock_prefers_writers},
          {"rwlock_prefers_readers", rwlock_prefers_readers}, {"spin_lock", spin_lock},
          {"barrier", test_barrier}, {"barrier_orders_both_ways", barrier_orders_both_ways},
          {"semaphore", test_semaphore}, {"semaphore_timed", semaphore_timed},
          {"named_semaphore", named_semaphore}, {"once", once})
