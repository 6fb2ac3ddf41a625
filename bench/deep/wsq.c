// A work-stealing queue after the THE protocol of Cilk (Frigo, Leiserson, Randall 1998; CHESS' WSQ): the
// owner works at the tail without the lock as long as there is enough, thieves take the lock. Bug: a thief
// moves the head only after it has compared it with the tail, so that the owner takes the same item
// meanwhile.
#include "common.h"

enum { kItems = 3 };

static Mutex mutex = MUTEX;
static atomic_int head, tail;
static atomic_int items[kItems], taken[kItems + 1];

static void push(int item) {
  const int t = tail;
  items[t] = item;
  tail = t + 1;
}

static int pop(void) {
  const int t = tail - 1;
  tail = t;
  if (head <= t) return items[t];
  tail = t + 1;
  lock(&mutex);
  int item = 0;
  tail = t;
  if (head <= t) {
    item = items[t];
  } else {
    tail = t + 1;
  }
  unlock(&mutex);
  return item;
}

static int steal(void) {
  lock(&mutex);
  const int h = head;
  int item = 0;
  BUG_OR((void)0, head = h + 1);
  if (h < tail) {
    item = items[h];
    BUG_OR(head = h + 1, (void)0);
  } else {
    head = h;
  }
  unlock(&mutex);
  return item;
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
  use(steal());
  return nothing;
}

int main(void) {
  RUN({own, 1}, {thieve, 1});
  return 0;
}
