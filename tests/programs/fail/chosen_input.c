// expect: assertion failure
// The bug needs an input and a schedule; the strategy picks both.
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int limit = 3;

static void* lower(void* argument) {
  atomic_store(&limit, 2);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, lower, NULL);
  const int index = (int)heddle_choose(3);
  assert(index < atomic_load(&limit));
  pthread_join(thread, NULL);
  return 0;
}
