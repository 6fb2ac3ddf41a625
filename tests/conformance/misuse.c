// flags: -D_GNU_SOURCE
// clang-format off
// case: unlock_of_unlocked => mutex misuse: unlock of a mutex that is not locked
// case: unlock_by_another => mutex misuse: unlock of a mutex that another thread holds
// case: destroy_locked => mutex misuse: destruction of a mutex that is locked
// case: use_destroyed_mutex => mutex misuse: use of a mutex that was destroyed
// case: use_uninitialised_mutex => mutex misuse: use of a mutex that was never initialised
// case: initialise_locked => mutex misuse: initialisation of a mutex that is locked
// case: free_locked => mutex misuse: free of the memory of a mutex that is locked
// case: lock_twice => deadlock: a lock that it holds itself
// case: end_with_lock => warning lock held at thread end: still holds a lock
// case: wait_without_lock => condition variable misuse: wait with a mutex that is not locked
// case: wait_with_lock_of_another => condition variable misuse: wait with a mutex that another thread holds
// case: wait_with_two_mutexes => condition variable misuse: with different mutexes
// case: destroy_waited_condition => condition variable misuse: destruction of a condition variable that a thread waits for
// case: use_destroyed_condition => condition variable misuse: use of a condition variable that was destroyed
// case: lost_signal => lost wake-up: signal came before it waited
// case: nobody_signals => deadlock: nothing can wake
// case: rwlock_unlock_of_unlocked => rwlock misuse: unlock of an rwlock that is not locked
// case: rwlock_unlock_by_another => rwlock misuse: unlock of an rwlock that another thread holds
// case: rwlock_upgrade => deadlock: waits to write an rwlock that it holds for reading
// case: destroy_read_locked => rwlock misuse: destruction of an rwlock that is locked
// case: use_destroyed_rwlock => rwlock misuse: use of an rwlock that was destroyed
// case: use_uninitialised_barrier => barrier misuse: never initialised
// case: destroy_waited_barrier => barrier misuse: destruction of a barrier that a thread waits for
// case: crowded_barrier => barrier misuse: 3 threads use a barrier that was made for 2
// case: deserted_barrier => deadlock: nothing can wake
// case: semaphore_overflow => semaphore misuse: SEM_VALUE_MAX
// case: use_uninitialised_semaphore => semaphore misuse: never initialised
// case: destroy_waited_semaphore => semaphore misuse: destruction of a semaphore that a thread waits for
// case: use_destroyed_semaphore => semaphore misuse: use of a semaphore that was destroyed
// case: spin_lock_unlock_of_unlocked => mutex misuse: not locked
// case: use_uninitialised_spin_lock => mutex misuse: use of a spin lock that was never initialised
// case: use_destroyed_spin_lock => mutex misuse: use of a spin lock that was destroyed
// case: join_twice => thread misuse: join of a thread that was already joined
// case: join_self => thread misuse: a thread joins itself
// case: join_each_other => deadlock: a circle of 2 threads
// case: join_detached => thread misuse: join of a detached thread
// case: detach_twice => thread misuse: detach of a thread that is already detached
// case: leak => warning thread leak: neither joined nor detached
// case: recursive_once => deadlock: entered again by its own thread
// clang-format on
#include <limits.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static atomic_int inside;

static void* nothing(void* unused) { return unused; }

static void wait_until_inside(void) {
  while (!atomic_load(&inside)) {
  }
}

static void unlock_of_unlocked(void) {
  join(start(nothing, NULL));
  pthread_mutex_unlock(&mutex);
}

static void* hold_for_a_while(void* unused) {
  pthread_mutex_lock(&mutex);
  atomic_store(&inside, 1);
  atomic_store(&inside, 2);
  pthread_mutex_unlock(&mutex);
  return unused;
}

// Holds the mutex until the other thread has done what it must not do.
static void* hold_until_misused(void* unused) {
  pthread_mutex_lock(&mutex);
  atomic_store(&inside, 1);
  while (atomic_load(&inside) == 1) {
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void unlock_by_another(void) {
  pthread_t other = start(hold_until_misused, NULL);
  wait_until_inside();
  pthread_mutex_unlock(&mutex);
  atomic_store(&inside, 2);
  join(other);
}

static void destroy_locked(void) {
  pthread_t other = start(hold_until_misused, NULL);
  wait_until_inside();
  pthread_mutex_destroy(&mutex);
  atomic_store(&inside, 2);
  join(other);
}

static void use_destroyed_mutex(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_t other = start(hold_for_a_while, NULL);
  join(other);
  pthread_mutex_destroy(&mutex);
  pthread_mutex_lock(&mutex);
}

static void use_uninitialised_mutex(void) {
  pthread_mutex_t* never = malloc(sizeof *never);
  memset(never, 0x5a, sizeof *never);
  join(start(nothing, NULL));
  pthread_mutex_lock(never);
}

static void initialise_locked(void) {
  join(start(nothing, NULL));
  pthread_mutex_lock(&mutex);
  pthread_mutex_init(&mutex, NULL);
}

static void free_locked(void) {
  pthread_mutex_t* own = malloc(sizeof *own);
  pthread_mutex_init(own, NULL);
  join(start(nothing, NULL));
  pthread_mutex_lock(own);
  free(own);
}

static void lock_twice(void) {
  join(start(nothing, NULL));
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
}

static void* forget_to_unlock(void* unused) {
  pthread_mutex_lock(&mutex);
  return unused;
}

static void end_with_lock(void) { join(start(forget_to_unlock, NULL)); }

static void wait_without_lock(void) {
  join(start(nothing, NULL));
  pthread_cond_wait(&condition, &mutex);
}

static void wait_with_lock_of_another(void) {
  pthread_t other = start(hold_until_misused, NULL);
  wait_until_inside();
  pthread_cond_wait(&condition, &mutex);
  atomic_store(&inside, 2);
  join(other);
}

static void* wait_with(void* which) {
  pthread_mutex_lock(which);
  pthread_cond_wait(&condition, which);
  pthread_mutex_unlock(which);
  return NULL;
}

static void* wait_for_ever_with(void* which) {
  pthread_mutex_lock(which);
  while (pthread_cond_wait(&condition, which) == 0) {
  }
  return NULL;
}

static void wait_with_two_mutexes(void) {
  start(wait_for_ever_with, &mutex);
  wait_for_ever_with(&second_mutex);
}

static void* wait_inside(void* which) {
  pthread_mutex_lock(which);
  atomic_store(&inside, 1);
  pthread_cond_wait(&condition, which);
  return NULL;
}

static void destroy_waited_condition(void) {
  pthread_t other = start(wait_inside, &mutex);
  wait_until_inside();
  pthread_mutex_lock(&mutex);
  pthread_cond_destroy(&condition);
  join(other);
}

static void use_destroyed_condition(void) {
  join(start(nothing, NULL));
  pthread_cond_destroy(&condition);
  pthread_cond_signal(&condition);
}

static void* signal_at_once(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void lost_signal(void) {
  pthread_t other = start(signal_at_once, NULL);
  wait_with(&mutex);
  join(other);
}

static void nobody_signals(void) {
  pthread_t other = start(wait_with, &mutex);
  join(other);
}

static void rwlock_unlock_of_unlocked(void) {
  join(start(nothing, NULL));
  pthread_rwlock_unlock(&rwlock);
}

static void* unlock_rwlock(void* unused) {
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

static void rwlock_unlock_by_another(void) {
  pthread_rwlock_wrlock(&rwlock);
  join(start(unlock_rwlock, NULL));
}

static void rwlock_upgrade(void) {
  join(start(nothing, NULL));
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_wrlock(&rwlock);
}

static void destroy_read_locked(void) {
  join(start(nothing, NULL));
  pthread_rwlock_rdlock(&rwlock);
  pthread_rwlock_destroy(&rwlock);
}

static void use_destroyed_rwlock(void) {
  join(start(nothing, NULL));
  pthread_rwlock_destroy(&rwlock);
  pthread_rwlock_rdlock(&rwlock);
}

static void use_uninitialised_barrier(void) {
  join(start(nothing, NULL));
  pthread_barrier_wait(&barrier);
}

static void* meet(void* unused) {
  pthread_barrier_wait(&barrier);
  return unused;
}

static void destroy_waited_barrier(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t other = start(meet, NULL);
  join(start(nothing, NULL));
  pthread_barrier_destroy(&barrier);
  join(other);
}

static void crowded_barrier(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t a = start(meet, NULL), b = start(meet, NULL);
  meet(NULL);
  join(a);
  join(b);
}

static void deserted_barrier(void) {
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_t a = start(meet, NULL);
  meet(NULL);
  join(a);
}

static void semaphore_overflow(void) {
  sem_init(&semaphore, 0, SEM_VALUE_MAX);
  join(start(nothing, NULL));
  sem_post(&semaphore);
}

static void use_uninitialised_semaphore(void) {
  join(start(nothing, NULL));
  sem_post(&semaphore);
}

static void* wait_for_token(void* unused) {
  sem_wait(&semaphore);
  return unused;
}

static void destroy_waited_semaphore(void) {
  sem_init(&semaphore, 0, 0);
  pthread_t other = start(wait_for_token, NULL);
  join(start(nothing, NULL));
  sem_destroy(&semaphore);
  join(other);
}

static void use_destroyed_semaphore(void) {
  sem_init(&semaphore, 0, 0);
  join(start(nothing, NULL));
  sem_destroy(&semaphore);
  sem_post(&semaphore);
}

static void spin_lock_unlock_of_unlocked(void) {
  pthread_spin_init(&spin, 0);
  join(start(nothing, NULL));
  pthread_spin_unlock(&spin);
}

static void use_uninitialised_spin_lock(void) {
  join(start(nothing, NULL));
  pthread_spin_lock(&spin);
}

static void use_destroyed_spin_lock(void) {
  pthread_spin_init(&spin, 0);
  join(start(nothing, NULL));
  pthread_spin_destroy(&spin);
  pthread_spin_lock(&spin);
}

static void join_twice(void) {
  pthread_t other = start(nothing, NULL);
  join(other);
  pthread_join(other, NULL);
}

static void join_self(void) {
  join(start(nothing, NULL));
  pthread_join(pthread_self(), NULL);
}

static pthread_t main_thread;

static void* join_main(void* unused) {
  pthread_join(main_thread, NULL);
  return unused;
}

static void join_each_other(void) {
  main_thread = pthread_self();
  join(start(join_main, NULL));
}

static void join_detached(void) {
  pthread_t other = start(nothing, NULL);
  pthread_detach(other);
  pthread_join(other, NULL);
}

static void detach_twice(void) {
  pthread_t other = start(nothing, NULL);
  pthread_detach(other);
  pthread_detach(other);
}

static void leak(void) { start(nothing, NULL); }

static pthread_once_t flag = PTHREAD_ONCE_INIT;
static void once_again(void) { pthread_once(&flag, once_again); }

static void recursive_once(void) {
  join(start(nothing, NULL));
  pthread_once(&flag, once_again);
}

#define CASE(name) {#name, name}

RUN_CASES(CASE(unlock_of_unlocked), CASE(unlock_by_another), CASE(destroy_locked), CASE(use_destroyed_mutex),
          CASE(use_uninitialised_mutex), CASE(initialise_locked), CASE(free_locked), CASE(lock_twice),
          CASE(end_with_lock), CASE(wait_without_lock), CASE(wait_with_lock_of_another),
          CASE(wait_with_two_mutexes), CASE(destroy_waited_condition), CASE(use_destroyed_condition),
          CASE(lost_signal), CASE(nobody_signals), CASE(rwlock_unlock_of_unlocked),
          CASE(rwlock_unlock_by_another), CASE(rwlock_upgrade), CASE(destroy_read_locked),
          CASE(use_destroyed_rwlock), CASE(use_uninitialised_barrier), CASE(destroy_waited_barrier),
          CASE(crowded_barrier), CASE(deserted_barrier), CASE(semaphore_overflow),
          CASE(use_uninitialised_semaphore), CASE(destroy_waited_semaphore), CASE(use_destroyed_semaphore),
          CASE(spin_lock_unlock_of_unlocked), CASE(use_uninitialised_spin_lock),
          CASE(use_destroyed_spin_lock), CASE(join_twice), CASE(join_self), CASE(join_each_other),
          CASE(join_detached), CASE(detach_twice), CASE(leak), CASE(recursive_once))
