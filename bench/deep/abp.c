// The deque of Arora, Blumofe and Plaxton (1998): an array that starts over when the owner has emptied it,
// with a tag beside the top that changes with it. Bug: without the tag a thief does not notice that top came
// back to what it was (ABA), and takes an item that is gone.
#include "common.h"

enum { kItems = 3, kTag = 1 << 8 };  // age: the tag above the top

static atomic_int age, bottom, items[kItems], taken[kItems + 1];

static int top_of(int a) { return a % kTag; }
static int start_over(int a) { return BUG_OR(0, (a / kTag + 1) * kTag); }

static void push(int item) {
  items[bottom] = item;
  bottom = bottom + 1;
}

static int pop(void) {
  int b = bottom;
  if (b == 0) return 0;
  bottom = --b;
  const int item = items[b];
  int old = age;
  if (b > top_of(old)) return item;
  bottom = 0;
  const int fresh = start_over(old);
  if (b == top_of(old) && atomic_compare_exchange_strong(&age, &old, fresh)) return item;
  age = fresh;
  return 0;
}

static int steal(void) {
  int old = age;
  if (bottom <= top_of(old)) return 0;
  const int item = items[top_of(old)];
  return atomic_compare_exchange_strong(&age, &old, old + 1) ? item : 0;
}

static void use(int item) {
  if (item != 0) assert(taken[item]++ == 0);
}

static void* own(void* nothing) {
  push(1);
  use(pop());
  push(2);
  push(3);
  use(pop());
  use(pop());
  return nothing;
}

static void* thieve(void* nothing) {
  use(steal());
  return nothing;
}

int main(void) {
  RUN({own, 1}, {thieve, 1});
  return 0;
}
