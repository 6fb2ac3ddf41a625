// The reader-writer lock of Linux (thesis 7.1.2): a counter that readers take one of and writers all. Two
// equal threads, each reads under the read lock and writes under the write lock. Bug: the write lock is
// released with relaxed order. Data race.
#include "common.h"

enum { kBias = 0x00100000 };
static atomic_int lock;
static int variable;

static void read_lock(void) {
  int before = atomic_fetch_sub_explicit(&lock, 1, ACQ);
  while (before <= 0) {
    atomic_fetch_add_explicit(&lock, 1, RLX);
    while (atomic_load_explicit(&lock, RLX) <= 0) sched_yield();
    before = atomic_fetch_sub_explicit(&lock, 1, ACQ);
  }
}

static void read_unlock(void) { atomic_fetch_add_explicit(&lock, 1, REL); }

static void write_lock(void) {
  int before = atomic_fetch_sub_explicit(&lock, kBias, ACQ);
  while (before != kBias) {
    atomic_fetch_add_explicit(&lock, kBias, RLX);
    while (atomic_load_explicit(&lock, RLX) != kBias) sched_yield();
    before = atomic_fetch_sub_explicit(&lock, kBias, ACQ);
  }
}

static void write_unlock(void) { atomic_fetch_add_explicit(&lock, kBias, BUG_OR(RLX, REL)); }

static void* work(void* argument) {
  read_lock();
  const int seen = variable;
  read_unlock();
  write_lock();
  variable = seen < 0 ? seen : (int)(long)argument;
  write_unlock();
  return NULL;
}

int main(void) {
  atomic_init(&lock, kBias);
  const body bodies[2] = {work, work};
  run_threads(2, bodies);
  return 0;
}
