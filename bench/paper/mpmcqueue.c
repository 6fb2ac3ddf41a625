// A bounded queue for many producers and consumers (thesis 7.1.2): a counter of slots that were handed out to
// readers and writers in one word, and counters of those that are done. Two equal threads, each enqueues an
// item and dequeues one later. Bug: what a writer has put into its slot is published with relaxed order. Data
// race.
#include "common.h"

enum { kSlots = 2 };
static int slots[kSlots];
static atomic_uint claimed;  // upper half: read, lower half: written
static atomic_uint written, read_done;
static int taken[2];

static void enqueue(int value) {
  unsigned now = atomic_load_explicit(&claimed, ACQ);
  unsigned reads, writes;
  for (;;) {
    reads = now >> 16;
    writes = now & 0xffff;
    if ((writes - reads) % 0x10000 >= kSlots) return;  // full
    if (atomic_compare_exchange_weak_explicit(&claimed, &now, reads << 16 | ((writes + 1) & 0xffff), ACQ_REL,
                                              ACQ))
      break;
  }
  while ((atomic_load_explicit(&read_done, ACQ) & 0xffff) != reads) sched_yield();
  slots[writes % kSlots] = value;
  atomic_fetch_add_explicit(&written, 1, BUG_OR(RLX, REL));
}

static int dequeue(int* value) {
  unsigned now = atomic_load_explicit(&claimed, ACQ);
  unsigned reads, writes;
  for (;;) {
    reads = now >> 16;
    writes = now & 0xffff;
    if (reads == writes) return 0;
    if (atomic_compare_exchange_weak_explicit(&claimed, &now, ((reads + 1) & 0xffff) << 16 | writes, ACQ_REL,
                                              ACQ))
      break;
  }
  while (atomic_load_explicit(&written, ACQ) < writes) sched_yield();
  *value = slots[reads % kSlots];
  atomic_fetch_add_explicit(&read_done, 1, REL);
  return 1;
}

static void* work(void* argument) {
  int value = 0;
  enqueue((int)(long)argument + 1);
  if (dequeue(&value)) taken[(long)argument] = value;
  return NULL;
}

int main(void) {
  const body bodies[2] = {work, work};
  run_threads(2, bodies);
  assert(taken[0] == 0 || taken[0] != taken[1]);
  return 0;
}
