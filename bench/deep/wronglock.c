// wronglock_N (SCTBench, from "CS"): one thread relies on a variable to stay as it is while it has one lock;
// N others change it under another. Bug: they meet.
#include "common.h"

static Mutex right = MUTEX, wrong = MUTEX;
static atomic_int data;

static void* keep(void* nothing) {
  lock(&right);
  const int before = data;
  const int again = data;
  unlock(&right);
  assert(before == again);
  return nothing;
}

static void* disturb(void* nothing) {
  lock(BUG_OR(&wrong, &right));
  data = data + 1;
  unlock(BUG_OR(&wrong, &right));
  return nothing;
}

int main(void) {
  RUN({keep, 1}, {disturb, N});
  return 0;
}
