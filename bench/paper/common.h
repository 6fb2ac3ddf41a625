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

#ifdef INSERTED
// The experiment of the paper's Fig. 6: relaxed writes that change nothing, before what each thread does.
static atomic_int inserted;
static const body* inserted_before;
static void* write_first(void* argument) {
  for (int i = 0; i < INSERTED; ++i) atomic_store_explicit(&inserted, i, RLX);
  return inserted_before[(long)argument](argument);
}
#endif

static void run_threads(int count, const body* bodies) {
  pthread_t threads[8];
#ifdef INSERTED
  inserted_before = bodies;
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, write_first, (void*)i);
#else
  for (long i = 0; i < count; ++i) pthread_create(&threads[i], NULL, bodies[i], (void*)i);
#endif
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}
