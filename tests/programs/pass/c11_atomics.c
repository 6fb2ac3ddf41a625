// C11 atomics, among them atomic_init and both forms of compare-exchange.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int counter;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic(long) total = 5;

static void* work(void* argument) {
  int expected = atomic_load_explicit(&counter, memory_order_relaxed);
  while (!atomic_compare_exchange_weak(&counter, &expected, expected + 1)) {
  }
  total += 2;
  while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire)) {
  }
  atomic_flag_clear_explicit(&flag, memory_order_release);
  return argument;
}

int main(void) {
  atomic_init(&counter, 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(atomic_load(&counter) == 2 && total == 9);
  int expected = 3;
  bool done = atomic_compare_exchange_strong(&counter, &expected, 4);
  assert(!done && expected == 2);
  return 0;
}
