/* Two threads, 30 atomic operations: the smallest program whose executions are worth exploring.
   Usage: executions [MEGABYTES [check]]. The megabytes are in use before the first thread starts; with
   "check" the threads are the body of heddle_check. */
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int turn;

static void* work(void* nothing) {
  for (int i = 0; i < 14; ++i) atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
  return nothing;
}

static void race(void* nothing) {
  pthread_t thread;
  atomic_store(&turn, 0);
  pthread_create(&thread, NULL, work, nothing);
  work(nothing);
  pthread_join(thread, NULL);
  heddle_assert(atomic_load(&turn) == 28);
  /* A body that changes nothing of what was there before. */
  atomic_store_explicit(&turn, 0, memory_order_relaxed);
}

int main(int argc, char** argv) {
  size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0;
  char* heap = malloc(bytes + 1);
  memset(heap, 1, bytes + 1);
  if (argc > 2) {
    heddle_check(race, NULL);
  } else {
    race(NULL);
  }
  return heap[bytes] != 1;
}
