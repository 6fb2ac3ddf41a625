// flags: -D_GNU_SOURCE
// case: condition_freed => data race: Previous use of the condition variable
// case: condition_destroyed => data race: (destruction of a condition variable)
// case: mutex_freed => data race: Previous use of the mutex
// case: mutex_destroyed => data race: (destruction of a mutex)
// case: rwlock_destroyed => data race: Previous use of the rwlock
// case: semaphore_destroyed => data race: Previous use of the semaphore
// case: spin_lock_destroyed => data race: Previous use of the spin lock
// case: c11_mutex_destroyed => data race: Previous use of the mutex
// case: c11_condition_destroyed => data race: Previous use of the condition variable
// case: barrier_freed => data race: Previous use of the barrier
// case: mutex_given_away_unordered => data race: its initialisation is not ordered before
// case: condition_used_after_free => heap use after free: pthread_cond_signal
// case: last_owner_frees
// case: waiter_of_semaphore_frees
// case: serial_thread_frees_barrier
// case: condition_ends_after_broadcast
// case: last_writer_frees_rwlock
// case: joined_users
// An operation on an object is an access of it, and its end is a write. POSIX lets the thread that knows
// itself to be the last one destroy it at once: what the others have done is ordered before.
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "cases.h"

static atomic_int done;
static memory_order how = memory_order_relaxed;

static void tell(void) { atomic_store_explicit(&done, 1, how); }
static void hear(void) {
  while (!atomic_load_explicit(&done, how == memory_order_relaxed ? how : memory_order_acquire))
    sched_yield();
}

static void* signal_it(void* condition) {
  pthread_cond_signal(condition);
  tell();
  return NULL;
}
static void* lock_it(void* mutex) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
  }
  tell();
  return NULL;
}
static void* read_it(void* lock) {
  pthread_rwlock_rdlock(lock);
  pthread_rwlock_unlock(lock);
  tell();
  return NULL;
}
static void* wait_for_it(void* semaphore) {
  sem_wait(semaphore);
  tell();
  return NULL;
}
static void* spin_for_it(void* lock) {
  pthread_spin_lock(lock);
  pthread_spin_unlock(lock);
  tell();
  return NULL;
}
static void* lock_c11(void* mutex) {
  mtx_lock(mutex);
  mtx_unlock(mutex);
  tell();
  return NULL;
}
static void* signal_c11(void* condition) {
  cnd_signal(condition);
  tell();
  return NULL;
}

static pthread_t run(void* (*user)(void*), void* object) {
  pthread_t thread = start(user, object);
  hear();
  return thread;
}

static pthread_cond_t* new_condition(void) {
  pthread_cond_t* condition = malloc(sizeof *condition);
  pthread_cond_init(condition, NULL);
  return condition;
}
static pthread_mutex_t* new_mutex(void) {
  pthread_mutex_t* mutex = malloc(sizeof *mutex);
  pthread_mutex_init(mutex, NULL);
  return mutex;
}

static void condition_freed(void) {
  pthread_cond_t* condition = new_condition();
  pthread_t user = run(signal_it, condition);
  free(condition);
  join(user);
}
static void condition_destroyed(void) {
  pthread_cond_t* condition = new_condition();
  pthread_t user = run(signal_it, condition);
  pthread_cond_destroy(condition);
  join(user);
}
static void mutex_freed(void) {
  pthread_mutex_t* mutex = new_mutex();
  pthread_t user = run(lock_it, mutex);
  free(mutex);
  join(user);
}
static void mutex_destroyed(void) {
  pthread_mutex_t* mutex = new_mutex();
  pthread_t user = run(lock_it, mutex);
  pthread_mutex_destroy(mutex);
  join(user);
}
static void rwlock_destroyed(void) {
  static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  pthread_t user = run(read_it, &lock);
  pthread_rwlock_destroy(&lock);
  join(user);
}
static void semaphore_destroyed(void) {
  sem_t semaphore;
  sem_init(&semaphore, 0, 1);
  pthread_t user = run(wait_for_it, &semaphore);
  sem_destroy(&semaphore);
  join(user);
}
static void spin_lock_destroyed(void) {
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t user = run(spin_for_it, (void*)&lock);
  pthread_spin_destroy(&lock);
  join(user);
}
static void c11_mutex_destroyed(void) {
  mtx_t mutex;
  mtx_init(&mutex, mtx_plain);
  pthread_t user = run(lock_c11, &mutex);
  mtx_destroy(&mutex);
  join(user);
}
static void c11_condition_destroyed(void) {
  cnd_t condition;
  cnd_init(&condition);
  pthread_t user = run(signal_c11, &condition);
  cnd_destroy(&condition);
  join(user);
}

// A barrier for one.
static void* pass_alone(void* barrier) {
  pthread_barrier_wait(barrier);
  tell();
  return NULL;
}
static void barrier_freed(void) {
  pthread_barrier_t* barrier = malloc(sizeof *barrier);
  pthread_barrier_init(barrier, NULL, 1);
  pthread_t user = run(pass_alone, barrier);
  free(barrier);
  join(user);
}

static _Atomic(pthread_mutex_t*) given;

static void* take_given(void* unused) {
  pthread_mutex_t* mutex = atomic_load_explicit(&given, memory_order_relaxed);
  if (mutex != NULL) pthread_mutex_lock(mutex);
  return unused;
}
static void mutex_given_away_unordered(void) {
  pthread_t user = start(take_given, NULL);
  atomic_store_explicit(&given, new_mutex(), memory_order_relaxed);
  join(user);
}

static void* signal_late(void* condition) {
  hear();
  pthread_cond_signal(condition);
  return NULL;
}
static void condition_used_after_free(void) {
  pthread_cond_t* condition = new_condition();
  pthread_t user = start(signal_late, condition);
  free(condition);
  tell();
  join(user);
}

// POSIX, pthread_mutex_destroy: the example of an object that its last user frees.
struct Counted {
  pthread_mutex_t mutex;
  int users;
};
static void* leave(void* argument) {
  struct Counted* object = argument;
  pthread_mutex_lock(&object->mutex);
  int last = --object->users == 0;
  pthread_mutex_unlock(&object->mutex);
  if (last) {
    pthread_mutex_destroy(&object->mutex);
    free(object);
  }
  return NULL;
}
static void last_owner_frees(void) {
  struct Counted* object = malloc(sizeof *object);
  pthread_mutex_init(&object->mutex, NULL);
  object->users = 3;
  pthread_t one = start(leave, object), other = start(leave, object);
  leave(object);
  join(one);
  join(other);
}

static void* post(void* semaphore) {
  sem_post(semaphore);
  return NULL;
}
static void waiter_of_semaphore_frees(void) {
  sem_t* semaphore = malloc(sizeof *semaphore);
  sem_init(semaphore, 0, 0);
  pthread_t one = start(post, semaphore), other = start(post, semaphore);
  sem_wait(semaphore);
  sem_wait(semaphore);
  sem_destroy(semaphore);
  free(semaphore);
  join(one);
  join(other);
}

static void* pass_and_free(void* barrier) {
  if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    pthread_barrier_destroy(barrier);
    free(barrier);
  }
  return NULL;
}
static void serial_thread_frees_barrier(void) {
  pthread_barrier_t* barrier = malloc(sizeof *barrier);
  pthread_barrier_init(barrier, NULL, 3);
  pthread_t one = start(pass_and_free, barrier), other = start(pass_and_free, barrier);
  pass_and_free(barrier);
  join(one);
  join(other);
}

static pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t* changed;
static int state;

static void* wait_for_change(void* unused) {
  pthread_mutex_lock(&around);
  if (state == 0) pthread_cond_wait(changed, &around);
  pthread_mutex_unlock(&around);
  return unused;
}
static void condition_ends_after_broadcast(void) {
  changed = new_condition();
  pthread_t one = start(wait_for_change, NULL), other = start(wait_for_change, NULL);
  pthread_mutex_lock(&around);
  state = 1;
  pthread_cond_broadcast(changed);
  pthread_cond_destroy(changed);
  free(changed);
  pthread_mutex_unlock(&around);
  join(one);
  join(other);
}

struct Read {
  pthread_rwlock_t lock;
  int users;
};
static void* leave_read(void* argument) {
  struct Read* object = argument;
  pthread_rwlock_rdlock(&object->lock);
  pthread_rwlock_unlock(&object->lock);
  pthread_rwlock_wrlock(&object->lock);
  int last = --object->users == 0;
  pthread_rwlock_unlock(&object->lock);
  if (last) {
    pthread_rwlock_destroy(&object->lock);
    free(object);
  }
  return NULL;
}
static void last_writer_frees_rwlock(void) {
  struct Read* object = malloc(sizeof *object);
  pthread_rwlock_init(&object->lock, NULL);
  object->users = 2;
  pthread_t one = start(leave_read, object);
  leave_read(object);
  join(one);
}

static void joined_users(void) {
  how = memory_order_seq_cst;
  pthread_cond_t* condition = new_condition();
  pthread_mutex_t* mutex = new_mutex();
  pthread_t one = start(signal_it, condition), other = start(lock_it, mutex);
  assert(pthread_mutex_trylock(mutex) != 0 || pthread_mutex_unlock(mutex) == 0);
  join(one);
  join(other);
  pthread_cond_destroy(condition);
  pthread_mutex_destroy(mutex);
  free(condition);
  free(mutex);
  condition = new_condition();
  join(run(signal_it, condition));
  free(condition);
}

RUN_CASES({"condition_freed", condition_freed}, {"condition_destroyed", condition_destroyed},
          {"mutex_freed", mutex_freed}, {"mutex_destroyed", mutex_destroyed},
          {"rwlock_destroyed", rwlock_destroyed}, {"semaphore_destroyed", semaphore_destroyed},
          {"spin_lock_destroyed", spin_lock_destroyed}, {"c11_mutex_destroyed", c11_mutex_destroyed},
          {"c11_condition_destroyed", c11_condition_destroyed}, {"barrier_freed", barrier_freed},
          {"mutex_given_away_unordered", mutex_given_away_unordered},
          {"condition_used_after_free", condition_used_after_free}, {"last_owner_frees", last_owner_frees},
          {"waiter_of_semaphore_frees", waiter_of_semaphore_frees},
          {"serial_thread_frees_barrier", serial_thread_frees_barrier},
          {"condition_ends_after_broadcast", condition_ends_after_broadcast},
          {"last_writer_frees_rwlock", last_writer_frees_rwlock}, {"joined_users", joined_users})
