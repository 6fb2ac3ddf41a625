// lazy01 (SCTBench, from "CS"): two threads initialise a datum step by step under a lock, a third uses it.
// Bug: the third runs last, and finds a value that it takes for impossible. The twin knows better.
#include "common.h"

static Mutex mutex = MUTEX;
static int data;

static void* add_one(void* nothing) {
  lock(&mutex);
  data += 1;
  unlock(&mutex);
  return nothing;
}

static void* add_two(void* nothing) {
  lock(&mutex);
  data += 2;
  unlock(&mutex);
  return nothing;
}

static void* use(void* nothing) {
  lock(&mutex);
  assert(data < BUG_OR(3, 4));
  unlock(&mutex);
  return nothing;
}

int main(void) {
  RUN({add_one, 1}, {add_two, 1}, {use, 1});
  return 0;
}
