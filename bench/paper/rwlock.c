// A reader-writer lock (thesis 7.1.1): readers load two atomic variables under the read lock, writers store
// to both under the write lock. Seeded bug: the write lock is taken and released with relaxed order. A reader
// sees one store and not the other. Assertion.
#include "common.h"

enum { kBias = 0x00100000, kTurns = 2 };
static atomic_int lock;
static atomic_int first, second;

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
  int before = atomic_fetch_sub_explicit(&lock, kBias, BUG_OR(RLX, ACQ));
  while (before != kBias) {
    atomic_fetch_add_explicit(&lock, kBias, RLX);
    while (atomic_load_explicit(&lock, RLX) != kBias) sched_yield();
    before = atomic_fetch_sub_explicit(&lock, kBias, BUG_OR(RLX, ACQ));
  }
}

static void write_unlock(void) { atomic_fetch_add_explicit(&lock, kBias, BUG_OR(RLX, REL)); }

static void* read_both(void* nothing) {
  for (int i = 0; i < kTurns; ++i) {
    read_lock();
    const int a = atomic_load_explicit(&first, RLX);
    const int b = atomic_load_explicit(&second, RLX);
    read_unlock();
    assert(a == b);
  }
  return nothing;
}

static void* write_both(void* nothing) {
  for (int i = 1; i <= kTurns; ++i) {
    write_lock();
    atomic_store_explicit(&first, i, RLX);
    atomic_store_explicit(&second, i, RLX);
    write_unlock();
  }
  return nothing;
}

int main(void) {
  atomic_init(&lock, kBias);
  const body bodies[2] = {read_both, write_both};
  run_threads(2, bodies);
  return 0;
}
