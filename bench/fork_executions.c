/* Two threads, 30 atomic operations: the smallest program whose executions are worth exploring. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int turn;

static void* work(void* nothing) {
  for (int i = 0; i < 14; ++i) atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
  return nothing;
}

int main(void) {
  pthread_t thread;
  atomic_store(&turn, 0);
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return atomic_load(&turn) != 28;
}
