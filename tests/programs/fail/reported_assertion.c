// expect: reported failure
// heddle_assert, from C.
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first_done, second_done;

static void* work(void* argument) {
  atomic_store(&first_done, 1);
  atomic_store(&second_done, 1);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  const int first = atomic_load(&first_done);
  const int second = atomic_load(&second_done);
  heddle_assert(first == second);
  pthread_join(thread, NULL);
  return 0;
}
