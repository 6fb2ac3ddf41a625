// C: static and dynamic mutexes, attributes, results through join.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t dynamic;
static int first_count, second_count;

static void* work(void* argument) {
  for (int i = 0; i < 3; ++i) {
    assert(pthread_mutex_lock(&fixed) == 0);
    ++first_count;
    assert(pthread_mutex_unlock(&fixed) == 0);
    assert(pthread_mutex_lock(&dynamic) == 0);
    ++second_count;
    assert(pthread_mutex_unlock(&dynamic) == 0);
  }
  return argument;
}

int main(void) {
  assert(pthread_mutex_init(&dynamic, NULL) == 0);
  pthread_attr_t attributes;
  assert(pthread_attr_init(&attributes) == 0);
  assert(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) {
    assert(pthread_create(&threads[i], &attributes, work, (void*)(i + 40)) == 0);
    assert(!pthread_equal(threads[i], pthread_self()));
  }
  pthread_attr_destroy(&attributes);
  for (intptr_t i = 0; i < 2; ++i) {
    void* result = NULL;
    assert(pthread_join(threads[i], &result) == 0);
    assert((intptr_t)result == i + 40);
  }
  assert(first_count == 6 && second_count == 6);
  assert(pthread_mutex_destroy(&dynamic) == 0);
  return 0;
}
