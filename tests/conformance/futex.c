// flags: -D_GNU_SOURCE
// case: wait_and_wake
// case: times_out
// case: bitset
// case: requeue
// case: wake_op
// case: lost_wake [--spurious 0] => lost wake-up: before it waited
// case: idle_wake => deadlock: nothing can wake
// case: changed_without_wake => lost wake-up: it has changed, but nobody woke the thread
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cases.h"

static _Atomic unsigned word, other_word;
static atomic_int woken;

static long futex(_Atomic unsigned* address, int operation, unsigned value, void* timeout,
                  _Atomic unsigned* second, unsigned bits) {
  return syscall(SYS_futex, address, operation | FUTEX_PRIVATE_FLAG, value, timeout, second, bits);
}

static void* set_and_wake(void* unused) {
  atomic_store(&word, 1);
  futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  return unused;
}

static void wait_and_wake(void) {
  pthread_t other = start(set_and_wake, NULL);
  while (atomic_load(&word) == 0) {
    long result = futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);
    assert(result == 0 || errno == EAGAIN || errno == EINTR);
  }
  join(other);
}

static void* nothing(void* unused) { return unused; }

static void times_out(void) {
  pthread_t other = start(nothing, NULL);
  struct timespec relative = {0, 1000000}, absolute = in_time(CLOCK_MONOTONIC, 1);
  long result;
  do result = futex(&word, FUTEX_WAIT, 0, &relative, NULL, 0);
  while (result == -1 && errno == EINTR);
  assert(result == -1 && errno == ETIMEDOUT);
  do result = futex(&word, FUTEX_WAIT_BITSET, 0, &absolute, NULL, FUTEX_BITSET_MATCH_ANY);
  while (result == -1 && errno == EINTR);
  assert(result == -1 && errno == ETIMEDOUT);
  assert(futex(&word, FUTEX_WAIT, 5, NULL, NULL, 0) == -1 && errno == EAGAIN);
  join(other);
}

static void* wait_with_bits(void* bits) {
  while (atomic_load(&word) == 0)
    futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, (unsigned)(unsigned long)bits);
  atomic_fetch_add(&woken, 1);
  return NULL;
}

static void bitset(void) {
  pthread_t a = start(wait_with_bits, (void*)1), b = start(wait_with_bits, (void*)2);
  assert(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 4) == 0);
  atomic_store(&word, 1);
  assert(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 1) <= 1);
  assert(futex(&word, FUTEX_WAKE_BITSET, INT_MAX, NULL, NULL, 2) <= 1);
  join(a);
  join(b);
  assert(woken == 2);
}

static void* wait_here(void* unused) {
  while (atomic_load(&word) == 0) futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);
  atomic_fetch_add(&woken, 1);
  return unused;
}

static void requeue(void) {
  pthread_t a = start(wait_here, NULL), b = start(wait_here, NULL);
  assert(futex(&word, FUTEX_CMP_REQUEUE, 0, (void*)INT_MAX, &other_word, 9) == -1 && errno == EAGAIN);
  long moved = futex(&word, FUTEX_CMP_REQUEUE, 1, (void*)INT_MAX, &other_word, 0);
  assert(moved >= 0 && moved <= 2);
  atomic_store(&word, 1);
  futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  futex(&other_word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  join(a);
  join(b);
  assert(woken == 2);
}

static void wake_op(void) {
  pthread_t a = start(wait_here, NULL);
  // Adds 1 to `word`; it was 0, so those who wait there are woken, too.
  futex(&other_word, FUTEX_WAKE_OP, 1, (void*)1, &word, FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0));
  assert(atomic_load(&word) == 1);
  join(a);
}

static void* wake_only(void* unused) {
  futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0);
  return unused;
}

static void lost_wake(void) {
  pthread_t other = start(wake_only, NULL);
  futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);  // for the wake-up alone
  join(other);
}

// The wake-up announces nothing: whoever hears it waits again.
static void idle_wake(void) {
  pthread_t other = start(wake_only, NULL);
  wait_here(NULL);
  join(other);
}

static void* set_only(void* unused) {
  atomic_store(&word, 1);
  return unused;
}

static void changed_without_wake(void) {
  pthread_t other = start(set_only, NULL);
  wait_here(NULL);
  join(other);
}

RUN_CASES({"wait_and_wake", wait_and_wake}, {"times_out", times_out}, {"bitset", bitset},
          {"requeue", requeue}, {"wake_op", wake_op}, {"lost_wake", lost_wake}, {"idle_wake", idle_wake},
          {"changed_without_wake", changed_without_wake})
