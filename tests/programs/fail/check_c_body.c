// expect: reported failure
// message: heddle_assert(*counter == 2)
// heddle_check in C: the counter lives outside, and each execution begins with what it held.
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static void* add(void* counter) {
  const int seen = atomic_load((atomic_int*)counter);
  atomic_store((atomic_int*)counter, seen + 1);
  return NULL;
}

static void body(void* argument) {
  atomic_int* counter = argument;
  pthread_t other;
  pthread_create(&other, NULL, add, counter);
  add(counter);
  pthread_join(other, NULL);
  heddle_assert(*counter == 2);
}

int main(void) {
  atomic_int counter = 0;
  heddle_check(body, &counter);
  return 0;
}
