// A queue (SCTBench, from "CS") whose consumers look without its lock whether there is an item. Bug: two of
// them see the last one, and the second takes from an empty queue.
#include "common.h"

enum { kItems = 3, kSize = 8 };

static Mutex mutex = MUTEX;
static int items[kSize];
static atomic_int head, tail;

static void* produce(void* nothing) {
  for (int i = 1; i <= kItems; ++i) {
    lock(&mutex);
    items[tail] = i;
    tail = tail + 1;
    unlock(&mutex);
  }
  return nothing;
}

static void* consume(void* nothing) {
  for (int i = 0; i < kItems; ++i) {
    if (head == tail) continue;
    lock(&mutex);
    if (BUG_OR(1, head != tail)) {
      assert(items[head] != 0);
      head = head + 1;
    }
    unlock(&mutex);
  }
  return nothing;
}

int main(void) {
  RUN({produce, 1}, {consume, 2});
  return 0;
}
