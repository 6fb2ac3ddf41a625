// Thread-specific data: a value for each thread, destructors at its end, again while they set new values.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static pthread_key_t plain_key, again_key;
static atomic_int destroyed, rounds;

static void destroy(void* value) { atomic_fetch_add(&destroyed, (int)(intptr_t)value); }

static void destroy_again(void* value) {
  atomic_fetch_add(&rounds, 1);
  if ((intptr_t)value > 1) pthread_setspecific(again_key, (void*)((intptr_t)value - 1));
}

static void* work(void* argument) {
  assert(pthread_getspecific(plain_key) == NULL);
  pthread_setspecific(plain_key, argument);
  pthread_setspecific(again_key, (void*)2);
  assert(pthread_getspecific(plain_key) == argument);
  return NULL;
}

int main(void) {
  assert(pthread_key_create(&plain_key, destroy) == 0);
  assert(pthread_key_create(&again_key, destroy_again) == 0);
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)(i + 1)) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(atomic_load(&destroyed) == 3);
  assert(atomic_load(&rounds) == 4);
  assert(pthread_getspecific(plain_key) == NULL);
  return 0;
}
