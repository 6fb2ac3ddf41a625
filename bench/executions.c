/* Two threads, 30 atomic operations: the smallest program whose executions are worth exploring.
   Usage: executions [MEGABYTES], which are in use before the first thread starts. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int turn;

static void* work(void* nothing) {
  for (int i = 0; i < 14; ++i) atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
  return nothing;
}

int main(int argc, char** argv) {
  pthread_t thread;
  size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
  char* heap = malloc(bytes + 1);
  memset(heap, 1, bytes + 1);
  atomic_store(&turn, 0);
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return atomic_load(&turn) != 28 || heap[bytes] != 1;
}
