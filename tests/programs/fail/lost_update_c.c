// expect: assertion failure
// The lost update in C.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_long balance = 100;

static void* deposit(void* argument) {
  const long seen = atomic_load_explicit(&balance, memory_order_seq_cst);
  atomic_store_explicit(&balance, seen + 50, memory_order_seq_cst);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, deposit, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(atomic_load(&balance) == 200);
  return 0;
}
