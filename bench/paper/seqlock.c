// The sequence lock of Boehm (MSPC 2012, Fig. 5; thesis 7.1.1), with data stored with release order: two
// writers, one reader. Seeded bug: the increment with which a writer begins is relaxed, so that its stores
// need not come after those of the writer before. A reader takes a mixture of two updates for one. Assertion.
#include "common.h"

static atomic_int sequence, first, second;

static void write_both(int value) {
  int now = atomic_load_explicit(&sequence, RLX);
  for (;;) {
    if (now % 2 == 0 &&
        atomic_compare_exchange_strong_explicit(&sequence, &now, now + 1, BUG_OR(RLX, ACQ_REL), RLX))
      break;
    now = atomic_load_explicit(&sequence, RLX);
    sched_yield();
  }
  atomic_store_explicit(&first, value, REL);
  atomic_store_explicit(&second, value, REL);
  atomic_store_explicit(&sequence, now + 2, REL);
}

static void* write_once(void* argument) {
  write_both((int)(long)argument + 1);
  return NULL;
}

static void* read_both(void* nothing) {
  for (;;) {
    const int before = atomic_load_explicit(&sequence, ACQ);
    const int a = atomic_load_explicit(&first, ACQ);
    const int b = atomic_load_explicit(&second, ACQ);
    if (before % 2 == 0 && atomic_load_explicit(&sequence, RLX) == before) {
      assert(a == b);
      return nothing;
    }
    sched_yield();
  }
}

int main(void) {
  const body bodies[3] = {write_once, write_once, read_both};
  run_threads(3, bodies);
  return 0;
}
