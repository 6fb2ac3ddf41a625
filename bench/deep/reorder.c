// reorder_N (SCTBench, from "CS"): N - 1 threads set a and then b, one checks that it sees both or neither.
// Bug: the checker runs after the first a and before every b, of any setter.
#include "common.h"

static atomic_int a, b;
static Mutex both = MUTEX;

static void* set(void* nothing) {
  BUG_OR((void)0, lock(&both));
  a = 1;
  b = -1;
  BUG_OR((void)0, unlock(&both));
  return nothing;
}

static void* check(void* nothing) {
  BUG_OR((void)0, lock(&both));
  const int consistent = (a == 0 && b == 0) || (a == 1 && b == -1);
  BUG_OR((void)0, unlock(&both));
  assert(consistent);
  return nothing;
}

int main(void) {
  RUN({set, N - 1}, {check, 1});
  return 0;
}
