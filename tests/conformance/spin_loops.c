// flags: -D_GNU_SOURCE
// case: volatile_flag
// case: pause
// case: compare_exchange
// case: try_lock
// case: yield
// case: sleep
// case: nested
// case: ticket
// case: mcs
// case: seqlock
// case: peterson
// case: dekker
// case: bakery
// case: slow_progress
// case: counter_in_memory
// case: bounded_poll
// case: counting_spin
// case: stuck_on_volatile => livelock: #0 stuck_on_volatile
// case: stuck_on_atomic => livelock: #0 load_and_pause
// case: stuck_on_compare_exchange => livelock: #0 exchange_one
// case: stuck_on_try_lock => livelock: #0 spin_on_mutex
// case: stuck_with_yield => livelock: #0 load_and_yield
// case: stuck_with_sleep => livelock: #0 load_and_sleep
// case: stuck_nested => livelock: #0 stuck_nested
// case: stuck_pair => livelock: 2 threads repeat
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "cases.h"

static volatile int plain_flag;
static atomic_int flag, other_flag, count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void* set_flags(void* unused) {
  data = 1;
  atomic_store(&flag, 1);
  atomic_store(&other_flag, 1);
  return unused;
}

static void* set_volatile(void* unused) {
  plain_flag = 1;
  return unused;
}

static void volatile_flag(void) {
  pthread_t other = start(set_volatile, NULL);
  while (!plain_flag) {
  }
  join(other);
}

#define SPIN_UNTIL(name, condition)           \
  static void name(void) {                    \
    pthread_t other = start(set_flags, NULL); \
    while (!(condition)) {                    \
    }                                         \
    assert(data == 1);                        \
    join(other);                              \
  }

static int load_and_pause(void) {
  __builtin_ia32_pause();
  return atomic_load_explicit(&flag, memory_order_acquire);
}
SPIN_UNTIL(test_pause, load_and_pause())

static int exchange_one(void) {
  int one = 1;
  return atomic_compare_exchange_weak(&flag, &one, 2);
}
SPIN_UNTIL(compare_exchange, exchange_one())

static int load_and_yield(void) {
  sched_yield();
  return atomic_load(&flag);
}
SPIN_UNTIL(yield, load_and_yield())

static int load_and_sleep(void) {
  usleep(1000);
  return atomic_load(&flag);
}
SPIN_UNTIL(test_sleep, load_and_sleep())

static void nested(void) {
  pthread_t other = start(set_flags, NULL);
  while (!atomic_load(&other_flag)) {
    while (!atomic_load(&flag)) {
    }
  }
  join(other);
}

static void* hold_briefly(void* unused) {
  pthread_mutex_lock(&mutex);
  ++data;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void test_try_lock(void) {
  pthread_t other = start(hold_briefly, NULL);
  while (pthread_mutex_trylock(&mutex) != 0) {
  }
  ++data;
  pthread_mutex_unlock(&mutex);
  join(other);
  assert(data == 2);
}

// Each lock is tried by two threads that add.
static void (*lock)(int me), (*unlock)(int me);

static void* add_under_lock(void* which) {
  int me = which != NULL;
  for (int i = 0; i < 2; ++i) {
    lock(me);
    ++data;
    unlock(me);
  }
  return NULL;
}

static void count_under(void (*l)(int), void (*u)(int)) {
  lock = l;
  unlock = u;
  pthread_t other = start(add_under_lock, &data);
  add_under_lock(NULL);
  join(other);
  assert(data == 4);
}

static atomic_uint next_ticket, serving;
static void ticket_lock(int me) {
  (void)me;
  unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, memory_order_acquire) != mine) {
  }
}
static void ticket_unlock(int me) {
  (void)me;
  unsigned mine = atomic_load_explicit(&serving, memory_order_relaxed);
  atomic_store_explicit(&serving, mine + 1, memory_order_release);
}
static void ticket(void) { count_under(ticket_lock, ticket_unlock); }

struct Node {
  _Atomic(struct Node*) next;
  atomic_int locked;
};
static struct Node nodes[2];
static _Atomic(struct Node*) tail;
static void mcs_lock(int me) {
  struct Node* node = &nodes[me];
  atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
  atomic_store_explicit(&node->locked, 1, memory_order_relaxed);
  struct Node* before = atomic_exchange_explicit(&tail, node, memory_order_acq_rel);
  if (before == NULL) return;
  atomic_store_explicit(&before->next, node, memory_order_release);
  while (atomic_load_explicit(&node->locked, memory_order_acquire)) {
  }
}
static void mcs_unlock(int me) {
  struct Node* node = &nodes[me];
  struct Node* next = atomic_load_explicit(&node->next, memory_order_acquire);
  if (next == NULL) {
    struct Node* expected = node;
    if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release,
                                                memory_order_relaxed))
      return;
    while ((next = atomic_load_explicit(&node->next, memory_order_acquire)) == NULL) {
    }
  }
  atomic_store_explicit(&next->locked, 0, memory_order_release);
}
static void mcs(void) { count_under(mcs_lock, mcs_unlock); }

static atomic_int turn, wants[2];
static void peterson_lock(int me) {
  atomic_store(&wants[me], 1);
  atomic_store(&turn, 1 - me);
  while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {
  }
}
static void peterson_unlock(int me) { atomic_store(&wants[me], 0); }
static void peterson(void) { count_under(peterson_lock, peterson_unlock); }

static void dekker_lock(int me) {
  atomic_store(&wants[me], 1);
  while (atomic_load(&wants[1 - me])) {
    if (atomic_load(&turn) == me) continue;
    atomic_store(&wants[me], 0);
    while (atomic_load(&turn) != me) {
    }
    atomic_store(&wants[me], 1);
  }
}
static void dekker_unlock(int me) {
  atomic_store(&turn, 1 - me);
  atomic_store(&wants[me], 0);
}
static void dekker(void) { count_under(dekker_lock, dekker_unlock); }

static atomic_int choosing[2], numbers[2];
static void bakery_lock(int me) {
  atomic_store(&choosing[me], 1);
  int mine = 1 + atomic_load(&numbers[1 - me]);
  atomic_store(&numbers[me], mine);
  atomic_store(&choosing[me], 0);
  while (atomic_load(&choosing[1 - me])) {
  }
  for (;;) {
    int theirs = atomic_load(&numbers[1 - me]);
    if (theirs == 0 || theirs > mine || (theirs == mine && me == 0)) return;
  }
}
static void bakery_unlock(int me) { atomic_store(&numbers[me], 0); }
static void bakery(void) { count_under(bakery_lock, bakery_unlock); }

static atomic_int sequence, left, right;
static void* write_pairs(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    atomic_fetch_add_explicit(&sequence, 1, memory_order_acquire);
    atomic_store_explicit(&left, i, memory_order_release);
    atomic_store_explicit(&right, i, memory_order_release);
    atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
  }
  return unused;
}
static void seqlock(void) {
  pthread_t writer = start(write_pairs, NULL);
  int before, a, b;
  do {
    while ((before = atomic_load_explicit(&sequence, memory_order_acquire)) & 1) {
    }
    a = atomic_load_explicit(&left, memory_order_acquire);
    b = atomic_load_explicit(&right, memory_order_acquire);
  } while (atomic_load_explicit(&sequence, memory_order_relaxed) != before);
  assert(a == b);
  join(writer);
}

static void* compute(void* unused) {
  // Longer than the patience with threads that change nothing.
  for (int i = 0; i < 40000; ++i) (void)atomic_load_explicit(&count, memory_order_relaxed);
  atomic_store(&flag, 1);
  return unused;
}
static void slow_progress(void) {
  pthread_t other = start(compute, NULL);
  while (!atomic_load(&flag)) {
  }
  join(other);
}

struct Loop {
  int i;
};
static void* compute_in_memory(void* loop) {
  struct Loop* l = loop;
  for (l->i = 0; l->i < 60000; ++l->i) (void)atomic_load_explicit(&count, memory_order_relaxed);
  return NULL;
}
static void counter_in_memory(void) {
  struct Loop* loop = malloc(sizeof *loop);
  pthread_t other = start(compute_in_memory, loop);
  join(other);
  free(loop);
}

static void bounded_poll(void) {
  pthread_t other = start(set_volatile, NULL);
  for (int i = 0; i < 50000 && !atomic_load(&flag); ++i) {
  }
  join(other);
}

// Changes memory in every turn, and so never looks stuck.
static void counting_spin(void) {
  pthread_t other = start(set_flags, NULL);
  while (!atomic_load(&other_flag)) atomic_fetch_add(&count, 1);
  join(other);
}

static void* nothing(void* unused) { return unused; }

static void stuck_on_volatile(void) {
  join(start(nothing, NULL));
  while (!plain_flag) {
  }
}

static void stuck_on_atomic(void) {
  join(start(nothing, NULL));
  while (!load_and_pause()) {
  }
}

static void stuck_on_compare_exchange(void) {
  join(start(nothing, NULL));
  while (!exchange_one()) {
  }
}

static void* spin_on_mutex(void* unused) {
  while (pthread_mutex_trylock(&mutex) != 0) {
  }
  return unused;
}

static void stuck_on_try_lock(void) {
  pthread_mutex_lock(&mutex);
  join(start(spin_on_mutex, NULL));
}

static void stuck_with_yield(void) {
  join(start(nothing, NULL));
  while (!load_and_yield()) {
  }
}

static void stuck_with_sleep(void) {
  join(start(nothing, NULL));
  while (!load_and_sleep()) {
  }
}

static void stuck_nested(void) {
  join(start(nothing, NULL));
  while (!atomic_load(&other_flag)) {
    for (int i = 0; i < 3 && !atomic_load(&flag); ++i) {
    }
  }
}

static void* await_other(void* unused) {
  while (!atomic_load(&other_flag)) {
  }
  atomic_store(&flag, 1);
  return unused;
}

static void stuck_pair(void) {
  pthread_t other = start(await_other, NULL);
  while (!atomic_load(&flag)) {
  }
  atomic_store(&other_flag, 1);
  join(other);
}

RUN_CASES({"volatile_flag", volatile_flag}, {"pause", test_pause}, {"compare_exchange", compare_exchange},
          {"try_lock", test_try_lock}, {"yield", yield}, {"sleep", test_sleep}, {"nested", nested},
          {"ticket", ticket}, {"mcs", mcs}, {"seqlock", seqlock}, {"peterson", peterson}, {"dekker", dekker},
          {"bakery", bakery}, {"slow_progress", slow_progress}, {"counter_in_memory", counter_in_memory},
          {"bounded_poll", bounded_poll}, {"counting_spin", counting_spin},
          {"stuck_on_volatile", stuck_on_volatile}, {"stuck_on_atomic", stuck_on_atomic},
          {"stuck_on_compare_exchange", stuck_on_compare_exchange}, {"stuck_on_try_lock", stuck_on_try_lock},
          {"stuck_with_yield", stuck_with_yield}, {"stuck_with_sleep", stuck_with_sleep},
          {"stuck_nested", stuck_nested}, {"stuck_pair", stuck_pair})
