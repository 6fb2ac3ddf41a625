// A circular buffer (SCTBench, from "CS"), one sender and one receiver with a lock each around one step. Bug:
// the sender does not look whether there is room, so that a value is overwritten that was not received.
#include "common.h"

enum { kSize = 4, kValues = 7 };

static Mutex mutex = MUTEX;
static int buffer[kSize], sent, received;

static void* send_all(void* nothing) {
  while (sent < kValues) {
    lock(&mutex);
    if (BUG_OR(1, sent - received < kSize)) {
      buffer[sent % kSize] = sent;
      ++sent;
    }
    unlock(&mutex);
    sched_yield();
  }
  return nothing;
}

static void* receive_all(void* nothing) {
  for (int next = 0; next < kValues;) {
    lock(&mutex);
    if (received < sent) {
      assert(buffer[received % kSize] == next);
      ++received;
      ++next;
    }
    unlock(&mutex);
    sched_yield();
  }
  return nothing;
}

int main(void) {
  RUN({send_all, 1}, {receive_all, 1});
  return 0;
}
