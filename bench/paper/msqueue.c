// The queue of Michael and Scott (1996), adapted to the C memory model (thesis 7.1.2): two threads, each
// enqueues and then dequeues one item. Seeded bug: orders are as relaxed as can be, so that a node's contents
// are not published with it. Data race.
#include "common.h"

typedef struct Node {
  int value;
  _Atomic(struct Node*) next;
} Node;

static _Atomic(Node*) head, tail;
static int taken[2];

static void enqueue(int value) {
  Node* node = malloc(sizeof *node);
  node->value = value;
  atomic_init(&node->next, NULL);
  for (;;) {
    Node* last = atomic_load_explicit(&tail, BUG_OR(RLX, ACQ));
    Node* next = atomic_load_explicit(&last->next, BUG_OR(RLX, ACQ));
    if (last != atomic_load_explicit(&tail, BUG_OR(RLX, ACQ))) continue;
    if (next != NULL) {
      atomic_compare_exchange_strong_explicit(&tail, &last, next, BUG_OR(RLX, REL), RLX);
      continue;
    }
    if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, BUG_OR(RLX, REL), RLX)) {
      atomic_compare_exchange_strong_explicit(&tail, &last, node, BUG_OR(RLX, REL), RLX);
      return;
    }
    sched_yield();
  }
}

static int dequeue(int* value) {
  for (;;) {
    Node* first = atomic_load_explicit(&head, BUG_OR(RLX, ACQ));
    Node* last = atomic_load_explicit(&tail, BUG_OR(RLX, ACQ));
    Node* next = atomic_load_explicit(&first->next, BUG_OR(RLX, ACQ));
    if (first != atomic_load_explicit(&head, BUG_OR(RLX, ACQ))) continue;
    if (first == last) {
      if (next == NULL) return 0;
      atomic_compare_exchange_strong_explicit(&tail, &last, next, BUG_OR(RLX, REL), RLX);
    } else if (next != NULL) {
      *value = next->value;
      if (atomic_compare_exchange_strong_explicit(&head, &first, next, BUG_OR(RLX, REL), RLX)) return 1;
    }
    sched_yield();
  }
}

static void* work(void* argument) {
  int value = 0;
  enqueue(10 + (int)(long)argument);
  if (dequeue(&value)) taken[(long)argument] = value;
  return NULL;
}

int main(void) {
  Node* dummy = calloc(1, sizeof *dummy);
  atomic_init(&head, dummy);
  atomic_init(&tail, dummy);
  const body bodies[2] = {work, work};
  run_threads(2, bodies);
  assert(taken[0] == 0 || taken[0] != taken[1]);
  return 0;
}
