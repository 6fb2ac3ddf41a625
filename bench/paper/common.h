// What the benchmarks share: two (or more) threads, and orders that are the bug or its mend.
#pragma once

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef CORRECT
#define BUG_OR(wrong, right) right
#else
#define BUG_OR(wrong, right) wrong
#endif

#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define ACQ_REL memory_order_acq_rel
#define SC memory_order_seq_cst

typedef void* (*body)(void*);

static void run_threads(int count, const body* bodies) {
  pthread_t threads[8];
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, bodies[i], (void*)i);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}
