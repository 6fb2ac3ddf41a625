// flags: -D_GNU_SOURCE
// case: stack_after_join => use of the stack of a thread that has ended: 'local'
// case: stack_read_atomically => use of the stack of a thread that has ended: T1 ended
// case: stack_through_memcpy => use of the stack of a thread that has ended: Location is stack of thread T1
// case: thread_local_after_join => use of the thread-local storage of a thread that has ended: 'own'
// case: mutex_on_ended_stack => use of the stack of a thread that has ended: pthread_mutex_lock
// case: big_stack => use of the stack of a thread that has ended: Location is stack of thread T1
// case: ends_before_its_user => data race: a thread ends, and another thread accesses its stack
// case: waits_for_its_user
// case: given_stack_is_used_again
// case: late_destructors
// case: main_ends_first
// The stack and the thread-local storage of a thread end with it.
#include <stdatomic.h>
#include <stdlib.h>

#include "cases.h"

static _Thread_local int own;
static void* address;
static atomic_int looked;

static void* leave_local(void* unused) {
  int local = 7;
  address = &local;
  sched_yield();
  return unused;
}

static void stack_after_join(void) {
  join(start(leave_local, NULL));
  *(int*)address = 42;
}

static void* leave_atomic(void* unused) {
  atomic_int local;
  atomic_init(&local, 7);
  address = &local;
  return unused;
}

static void stack_read_atomically(void) {
  join(start(leave_atomic, NULL));
  assert(atomic_load((atomic_int*)address) >= 0);
}

static void stack_through_memcpy(void) {
  int copy = 0;
  volatile size_t bytes = sizeof copy;  // a call, and no load
  join(start(leave_local, NULL));
  memcpy(&copy, address, bytes);
  assert(copy != 12345);
}

static void* leave_own(void* unused) {
  own = 1;
  address = &own;
  return unused;
}

static void thread_local_after_join(void) {
  join(start(leave_own, NULL));
  *(int*)address = 2;
}

static void* leave_mutex(void* unused) {
  pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
  address = &local;
  pthread_mutex_lock(&local);
  pthread_mutex_unlock(&local);
  return unused;
}

static void mutex_on_ended_stack(void) {
  join(start(leave_mutex, NULL));
  pthread_mutex_lock(address);
}

static void big_stack(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 20);
  assert(pthread_create(&thread, &attributes, leave_local, NULL) == 0);
  join(thread);
  *(int*)address = 42;
}

static _Atomic(int*) shared;

static void* give_local(void* unused) {
  int local = 7;
  atomic_store(&shared, &local);
  while (!atomic_load_explicit(&looked, memory_order_relaxed)) sched_yield();
  return unused;
}

static void ends_before_its_user(void) {
  pthread_t giver = start(give_local, NULL);
  int* local;
  while ((local = atomic_load(&shared)) == NULL) sched_yield();
  *local = 42;
  atomic_store_explicit(&looked, 1, memory_order_relaxed);
  join(giver);
}

static void* give_and_wait(void* unused) {
  int local = 7;
  atomic_store(&shared, &local);
  while (!atomic_load(&looked)) sched_yield();
  assert(local == 42);
  return unused;
}

static void waits_for_its_user(void) {
  pthread_t giver = start(give_and_wait, NULL);
  int* local;
  while ((local = atomic_load(&shared)) == NULL) sched_yield();
  *local = 42;
  atomic_store(&looked, 1);
  join(giver);
}

// The memory is the program's again once the thread has been joined.
static void given_stack_is_used_again(void) {
  enum { kBytes = 1 << 20 };
  char* stack = aligned_alloc(4096, kBytes);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setstack(&attributes, stack, kBytes) == 0);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    assert(pthread_create(&thread, &attributes, leave_local, NULL) == 0);
    join(thread);
    assert((char*)address >= stack && (char*)address < stack + kBytes);
    *(int*)address = 1;
    memset(stack, 0, kBytes);
  }
  free(stack);
}

static pthread_key_t key;

static void look_once_more(void* value) {
  assert(*(int*)value == 5);
  *(int*)value = 0;
}

static void* own_with_destructor(void* unused) {
  own = 5;
  pthread_setspecific(key, &own);
  return unused;
}

static void late_destructors(void) {
  pthread_key_create(&key, look_once_more);
  pthread_t one = start(own_with_destructor, NULL), other = start(own_with_destructor, NULL);
  join(one);
  join(other);
}

static void* read_of_main(void* local) {
  assert(*(int*)local == 3);
  return NULL;
}

// Main's stack stays until the process ends, as many programs rely on.
static void main_ends_first(void) {
  int local = 3;
  pthread_t reader = start(read_of_main, &local);
  pthread_detach(reader);
  pthread_exit(NULL);
}

RUN_CASES({"stack_after_join", stack_after_join}, {"stack_read_atomically", stack_read_atomically},
          {"stack_through_memcpy", stack_through_memcpy},
          {"thread_local_after_join", thread_local_after_join},
          {"mutex_on_ended_stack", mutex_on_ended_stack}, {"big_stack", big_stack},
          {"ends_before_its_user", ends_before_its_user}, {"waits_for_its_user", waits_for_its_user},
          {"given_stack_is_used_again", given_stack_is_used_again}, {"late_destructors", late_destructors},
          {"main_ends_first", main_ends_first})
