// A stack (SCTBench, from "CS") with a lock around push and pop, and a test for emptiness outside. Bug: two
// threads pop what is one item.
#include "common.h"

enum { kSize = 5 };

static Mutex mutex = MUTEX;
static int items[kSize];
static atomic_int top;

static void* push_all(void* nothing) {
  for (int i = 0; i < kSize; ++i) {
    lock(&mutex);
    if (top < kSize) {
      items[top] = i + 1;
      top = top + 1;
    }
    unlock(&mutex);
  }
  return nothing;
}

static void* pop_all(void* nothing) {
  for (int i = 0; i < kSize; ++i) {
    BUG_OR((void)0, lock(&mutex));
    if (top > 0) {
      BUG_OR(lock(&mutex), (void)0);
      assert(top > 0);
      top = top - 1;
      BUG_OR(unlock(&mutex), (void)0);
    }
    BUG_OR((void)0, unlock(&mutex));
  }
  return nothing;
}

int main(void) {
  RUN({push_all, 1}, {pop_all, 2});
  return 0;
}
