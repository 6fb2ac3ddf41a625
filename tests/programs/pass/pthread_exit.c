// pthread_exit from inside a call: cleanup handlers run, join sees the value.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int cleaned;

static void clean(void* argument) { atomic_fetch_add(&cleaned, (int)(intptr_t)argument); }

static void leave(intptr_t value) {
  pthread_cleanup_push(clean, (void*)10);
  pthread_exit((void*)value);
  pthread_cleanup_pop(0);
}

static void* work(void* argument) {
  pthread_cleanup_push(clean, (void*)1);
  leave((intptr_t)argument * 7);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)(i + 1)) == 0);
  for (intptr_t i = 0; i < 2; ++i) {
    void* value = NULL;
    assert(pthread_join(threads[i], &value) == 0);
    assert((intptr_t)value == (i + 1) * 7);
  }
  assert(atomic_load(&cleaned) == 22);
  return 0;
}
