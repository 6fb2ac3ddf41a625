// carter01 (SCTBench, from "CS"): two groups take a lock for their first member and give it back with their
// last, and count members under one more lock. Bug: who waits for the group lock keeps the counters, which
// the holder needs to give it back.
#include "common.h"

static Mutex counters = MUTEX, group = MUTEX;
#ifdef CORRECT
static Mutex other_counters = MUTEX;
#endif
static int readers, writers;
static int active;  // which group is in, under the group lock

static void take_turn(Mutex* own, int* members, int me) {
  lock(own);
  if (++*members == 1) lock(&group);
  unlock(own);
  lock(own);
  active = me;
  if (--*members == 0) unlock(&group);
  unlock(own);
}

static void* read_it(void* nothing) {
  take_turn(&counters, &readers, 1);
  return nothing;
}

static void* write_it(void* nothing) {
  take_turn(BUG_OR(&counters, &other_counters), &writers, 2);
  return nothing;
}

static void* idle(void* nothing) { return nothing; }

int main(void) {
  RUN({read_it, 1}, {write_it, 1}, {idle, 2});
  return active == 0;
}
