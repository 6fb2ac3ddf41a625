// A work-stealing queue with interlocked operations (CHESS' InterlockedWorkStealQueue), after Chase and Lev
// (2005). Bug: the owner takes the last item without competing for it, and a thief has it, too.
#include "common.h"

enum { kItems = 2 };

static atomic_int top, bottom, items[kItems], taken[kItems + 1];

static void push(int item) {
  items[bottom] = item;
  bottom = bottom + 1;
}

static int pop(void) {
  const int b = bottom - 1;
  bottom = b;
  int t = top;
  if (t > b) {
    bottom = t;
    return 0;
  }
  const int item = items[b];
  if (t < b) return item;
  bottom = t + 1;
#ifdef CORRECT
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : 0;
#else
  top = t + 1;
  return item;
#endif
}

static int steal(void) {
  int t = top;
  if (t >= bottom) return 0;
  const int item = items[t];
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : 0;
}

static void use(int item) {
  if (item != 0) assert(taken[item]++ == 0);
}

static void* own(void* nothing) {
  for (int i = 1; i <= kItems; ++i) push(i);
  for (int i = 0; i < kItems; ++i) use(pop());
  return nothing;
}

static void* thieve(void* nothing) {
  use(steal());
  return nothing;
}

int main(void) {
  RUN({own, 1}, {thieve, 2});
  return 0;
}
