// flags: -D_GNU_SOURCE
// An error-checking mutex answers EDEADLK to its owner, and EBUSY to anyone who tries.
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mutex;

static void* try_it(void* argument) {
  assert(pthread_mutex_trylock(&mutex) == EBUSY);
  return argument;
}

static void* use_it(void* argument) {
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_mutex_lock(&mutex) == EDEADLK);
  assert(pthread_mutex_unlock(&mutex) == 0);
  return argument;
}

int main(void) {
  pthread_mutexattr_t attributes;
  assert(pthread_mutexattr_init(&attributes) == 0);
  assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK) == 0);
  assert(pthread_mutex_init(&mutex, &attributes) == 0);
  assert(pthread_mutexattr_destroy(&attributes) == 0);
  pthread_t thread, other;
  assert(pthread_mutex_lock(&mutex) == 0);
  assert(pthread_create(&thread, NULL, try_it, NULL) == 0);
  assert(pthread_join(thread, NULL) == 0);
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_create(&thread, NULL, use_it, NULL) == 0);
  assert(pthread_create(&other, NULL, use_it, NULL) == 0);
  assert(pthread_join(thread, NULL) == 0);
  assert(pthread_join(other, NULL) == 0);
  assert(pthread_mutex_destroy(&mutex) == 0);
  return 0;
}
