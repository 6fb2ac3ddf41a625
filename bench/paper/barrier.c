// A spinning barrier (thesis 7.1.2): one writer, one reader. Seeded bug: the number of threads that have
// arrived is counted with relaxed order, so that the last to arrive does not see what the others did before.
// Data race.
#include "common.h"

enum { kThreads = 2 };
static atomic_uint arrived, step;
static int variable;

static void barrier_wait(void) {
  const unsigned now = atomic_load_explicit(&step, SC);
  if (atomic_fetch_add_explicit(&arrived, 1, BUG_OR(RLX, ACQ_REL)) == kThreads - 1) {
    atomic_store_explicit(&arrived, 0, RLX);
    atomic_fetch_add_explicit(&step, 1, SC);
    return;
  }
  while (atomic_load_explicit(&step, SC) == now) sched_yield();
}

static void* write_variable(void* nothing) {
  variable = 1;
  barrier_wait();
  return nothing;
}

static void* read_variable(void* nothing) {
  barrier_wait();
  return variable == 1 ? nothing : NULL;
}

int main(void) {
  const body bodies[kThreads] = {write_variable, read_variable};
  run_threads(kThreads, bodies);
  return 0;
}
