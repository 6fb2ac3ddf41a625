// What the deep bugs share. Their published versions use plain variables and take them to be sequentially
// consistent; here what several threads access without a lock is seq_cst atomic, so that the bug is the
// interleaving and not a data race.
#pragma once

#include "../paper/common.h"

// Threads of one kind, and how many there are.
typedef struct {
  body run;
  int count;
} Crew;

enum { kMostThreads = 128 };

// Starts all threads in this order and waits for their ends. Each gets its number within its crew.
static void run_crews(int count, const Crew* crews) {
  pthread_t threads[kMostThreads];
  int started = 0;
  for (int c = 0; c < count; ++c) {
    for (long i = 0; i < crews[c].count; ++i)
      pthread_create(&threads[started++], NULL, crews[c].run, (void*)i);
  }
  for (int i = 0; i < started; ++i) pthread_join(threads[i], NULL);
}
#define RUN(...)                                    \
  do {                                              \
    const Crew crews[] = {__VA_ARGS__};             \
    run_crews(sizeof crews / sizeof *crews, crews); \
  } while (0)

typedef pthread_mutex_t Mutex;
#define MUTEX PTHREAD_MUTEX_INITIALIZER
static inline void lock(Mutex* m) { pthread_mutex_lock(m); }
static inline void unlock(Mutex* m) { pthread_mutex_unlock(m); }
