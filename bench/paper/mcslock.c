// The lock of Mellor-Crummey and Scott (1991; thesis 7.1.2): threads queue up, each waits at a gate of its
// own. Each thread reads or writes the same variable under the lock, and releases it between. Seeded bug: the
// gate is read with relaxed order. Data race.
#include "common.h"

typedef struct Node {
  _Atomic(struct Node*) next;
  atomic_int gate;
} Node;

static _Atomic(Node*) last;
static int variable;

static void lock(Node* me) {
  atomic_store_explicit(&me->next, NULL, RLX);
  atomic_store_explicit(&me->gate, 1, RLX);
  Node* before = atomic_exchange_explicit(&last, me, ACQ_REL);
  if (before == NULL) return;
  atomic_store_explicit(&before->next, me, REL);
  while (atomic_load_explicit(&me->gate, BUG_OR(RLX, ACQ))) sched_yield();
}

static void unlock(Node* me) {
  Node* next = atomic_load_explicit(&me->next, ACQ);
  if (next == NULL) {
    Node* expected = me;
    if (atomic_compare_exchange_strong_explicit(&last, &expected, NULL, ACQ_REL, ACQ)) return;
    while ((next = atomic_load_explicit(&me->next, ACQ)) == NULL) sched_yield();
  }
  atomic_store_explicit(&next->gate, 0, REL);
}

static void* work(void* argument) {
  Node node;
  lock(&node);
  if (argument == NULL)
    variable = 1;
  else if (variable < 0)
    abort();
  unlock(&node);
  lock(&node);
  if (argument == NULL && variable < 0)
    abort();
  else
    variable = 2;
  unlock(&node);
  return NULL;
}

int main(void) {
  const body bodies[2] = {work, work};
  run_threads(2, bodies);
  return 0;
}
