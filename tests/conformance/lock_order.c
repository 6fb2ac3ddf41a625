// flags: -D_GNU_SOURCE
// case: inversion => warning lock-order inversion: different orders
// case: three_threads => warning lock-order inversion: different orders
// case: rwlocks => warning lock-order inversion: different orders
// case: both_read
// case: gate
// case: one_thread
// case: ordered_by_join
// case: ordered_by_semaphore
// case: ordered_by_barrier
// case: try_lock
// The orders are kept apart in time, by a flag that no schedule gets around, so that no deadlock is hit.
#include <semaphore.h>
#include <stdatomic.h>

#include "cases.h"

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t first = PTHREAD_RWLOCK_INITIALIZER, second = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int turn;

static void take(int a, int b) {
  pthread_mutex_lock(&locks[a]);
  pthread_mutex_lock(&locks[b]);
  pthread_mutex_unlock(&locks[b]);
  pthread_mutex_unlock(&locks[a]);
}

static void await(int number) {
  while (atomic_load(&turn) < number) {
  }
}

static void* forwards(void* unused) {
  take(0, 1);
  atomic_fetch_add(&turn, 1);
  return unused;
}

static void* backwards(void* unused) {
  await(1);
  take(1, 0);
  return unused;
}

static void inversion(void) {
  pthread_t a = start(forwards, NULL), b = start(backwards, NULL);
  join(a);
  join(b);
}

static void* step(void* which) {
  int me = *(int*)which;
  await(me);
  take(me, (me + 1) % 3);
  atomic_fetch_add(&turn, 1);
  return NULL;
}

static void three_threads(void) {
  pthread_t threads[3];
  int numbers[3] = {0, 1, 2};
  for (int i = 0; i < 3; ++i) threads[i] = start(step, &numbers[i]);
  for (int i = 0; i < 3; ++i) join(threads[i]);
}

static void read_then(int write_second, pthread_rwlock_t* a, pthread_rwlock_t* b) {
  pthread_rwlock_rdlock(a);
  write_second ? pthread_rwlock_wrlock(b) : pthread_rwlock_rdlock(b);
  pthread_rwlock_unlock(b);
  pthread_rwlock_unlock(a);
}

static void* read_first(void* write) {
  read_then(write != NULL, &first, &second);
  atomic_store(&turn, 1);
  return NULL;
}

static void* read_second(void* write) {
  await(1);
  read_then(write != NULL, &second, &first);
  return NULL;
}

static void rwlocks(void) {
  pthread_t a = start(read_first, &turn), b = start(read_second, &turn);
  join(a);
  join(b);
}

static void both_read(void) {
  pthread_t a = start(read_first, NULL), b = start(read_second, NULL);
  join(a);
  join(b);
}

static void* take_gated(void* backwards_too) {
  pthread_mutex_lock(&gate_lock);
  backwards_too != NULL ? take(1, 0) : take(0, 1);
  pthread_mutex_unlock(&gate_lock);
  return NULL;
}

static void gate(void) {
  pthread_t a = start(take_gated, NULL), b = start(take_gated, &turn);
  join(a);
  join(b);
}

static void* both_ways(void* unused) {
  take(0, 1);
  take(1, 0);
  return unused;
}

static void one_thread(void) { join(start(both_ways, NULL)); }

static void ordered_by_join(void) {
  take(1, 0);
  join(start(forwards, NULL));
  take(1, 0);
}

static sem_t semaphore;

static void* post_after(void* unused) {
  take(0, 1);
  sem_post(&semaphore);
  return unused;
}

static void ordered_by_semaphore(void) {
  sem_init(&semaphore, 0, 0);
  pthread_t a = start(post_after, NULL);
  sem_wait(&semaphore);
  take(1, 0);
  join(a);
}

static pthread_barrier_t barrier;

static void* before_barrier(void* unused) {
  take(0, 1);
  pthread_barrier_wait(&barrier);
  return unused;
}

static void ordered_by_barrier(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t a = start(before_barrier, NULL);
  pthread_barrier_wait(&barrier);
  take(1, 0);
  join(a);
}

static void* try_backwards(void* unused) {
  pthread_mutex_lock(&locks[1]);
  if (pthread_mutex_trylock(&locks[0]) == 0) pthread_mutex_unlock(&locks[0]);
  pthread_mutex_unlock(&locks[1]);
  return unused;
}

static void try_lock(void) {
  pthread_t a = start(forwards, NULL), b = start(try_backwards, NULL);
  join(a);
  join(b);
}

RUN_CASES({"inversion", inversion}, {"three_threads", three_threads}, {"rwlocks", rwlocks},
          {"both_read", both_read}, {"gate", gate}, {"one_thread", one_thread},
          {"ordered_by_join", ordered_by_join}, {"ordered_by_semaphore", ordered_by_semaphore},
          {"ordered_by_barrier", ordered_by_barrier}, {"try_lock", try_lock})
