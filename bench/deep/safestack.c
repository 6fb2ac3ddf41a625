// SafeStack (Vyukov 2010): a lock-free stack of indices that takes an entry out of the list by marking its
// link. Bug: an entry can be popped by two threads at once, which takes three threads and at least five
// preemptions. No correct version is known.
#include "common.h"

enum { kThreads = 3, kRounds = 2 };

static atomic_int head, count, next[kThreads];
// What belongs to whoever has popped the entry. Plain, so that two owners race; not static, so that
// compilers, which see that nobody reads it, keep the stores.
int owner[kThreads];

static int pop(void) {
  while (count > 1) {
    int first = head;
    const int second = atomic_exchange(&next[first], -1);
    if (second < 0) continue;
    int expected = first;
    if (atomic_compare_exchange_strong(&head, &expected, second)) {
      atomic_fetch_sub(&count, 1);
      return first;
    }
    atomic_exchange(&next[first], second);
  }
  return -1;
}

static void push(int index) {
  int first = head;
  do {
    next[index] = first;
  } while (!atomic_compare_exchange_strong(&head, &first, index));
  atomic_fetch_add(&count, 1);
}

static void* use(void* argument) {
  const int me = (int)(long)argument;
  for (int i = 0; i < kRounds; ++i) {
    int mine;
    do mine = pop();
    while (mine < 0);
    owner[mine] = me;
    assert(owner[mine] == me);
    push(mine);
  }
  return NULL;
}

int main(void) {
  atomic_init(&count, kThreads);
  for (int i = 0; i < kThreads; ++i) atomic_init(&next[i], i + 1 < kThreads ? i + 1 : -1);
  RUN({use, kThreads});
  return 0;
}
