// Dekker's mutual exclusion with fences (thesis 7.1.2). Seeded bug: nothing orders the store of one's own
// flag before the load of the other's. Data race on what the critical section protects.
#include "common.h"

static atomic_int flag[2], turn;
static int variable;

static void store_to_load_fence(void) { BUG_OR((void)0, atomic_thread_fence(SC)); }

static void* enter(void* argument) {
  const long me = (long)argument;
  const long other = 1 - me;
  atomic_store_explicit(&flag[me], 1, RLX);
  store_to_load_fence();
  while (atomic_load_explicit(&flag[other], RLX)) {
    if (atomic_load_explicit(&turn, RLX) != me) {
      atomic_store_explicit(&flag[me], 0, RLX);
      while (atomic_load_explicit(&turn, RLX) != me) sched_yield();
      atomic_store_explicit(&flag[me], 1, RLX);
      store_to_load_fence();
    } else {
      sched_yield();
    }
  }
  atomic_thread_fence(ACQ);
  variable = (int)me;
  atomic_store_explicit(&turn, (int)other, RLX);
  atomic_thread_fence(REL);
  atomic_store_explicit(&flag[me], 0, RLX);
  return NULL;
}

int main(void) {
  const body bodies[2] = {enter, enter};
  run_threads(2, bodies);
  return variable > 1;
}
