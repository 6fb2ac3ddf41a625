// deadlock01 (SCTBench, from "CS"): two locks, taken in both orders.
// bench/coop/deadlock.cpp is the same bug in C++, for native runs.
#include "common.h"

static Mutex a = MUTEX, b = MUTEX;
static int count;

static void* a_then_b(void* nothing) {
  lock(&a);
  lock(&b);
  ++count;
  unlock(&b);
  unlock(&a);
  return nothing;
}

static void* b_then_a(void* nothing) {
  lock(BUG_OR(&b, &a));
  lock(BUG_OR(&a, &b));
  ++count;
  unlock(BUG_OR(&a, &b));
  unlock(BUG_OR(&b, &a));
  return nothing;
}

int main(void) {
  RUN({a_then_b, 1}, {b_then_a, 1});
  return count != 2;
}
