// executions: 150
// Disabled cancellation waits until it is enabled; asynchronous cancellation needs no cancellation point;
// handlers run in reverse order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int phase;
static int order[2], count;

static void note(void* number) { order[count++] = *(int*)number; }

static void* deferred(void* unused) {
  int old;
  int one = 1, two = 2;
  assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
  pthread_cleanup_push(note, &one);
  pthread_cleanup_push(note, &two);
  while (atomic_load(&phase) == 0) pthread_testcancel();  // does nothing while disabled
  assert(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0 && old == PTHREAD_CANCEL_DISABLE);
  pthread_testcancel();
  assert(!"not reached");
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

static void* asynchronous(void* unused) {
  int old;
  assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
  atomic_store(&phase, 2);
  for (;;) atomic_fetch_add(&phase, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result;
  assert(pthread_create(&thread, NULL, deferred, NULL) == 0);
  assert(pthread_cancel(thread) == 0);
  atomic_store(&phase, 1);
  assert(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  assert(count == 2 && order[0] == 2 && order[1] == 1);

  assert(pthread_create(&thread, NULL, asynchronous, NULL) == 0);
  while (atomic_load(&phase) != 2) sched_yield();
  assert(pthread_cancel(thread) == 0);
  assert(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
  return 0;
}
