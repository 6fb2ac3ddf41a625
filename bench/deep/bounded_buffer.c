// A bounded buffer with one condition variable for both ends (SCTBench's boundedBuffer). Bug: a signal wakes
// one waiter, which may be of the kind that cannot use it, and everybody waits. The twin wakes all.
// bench/coop has this bug in C++ for native runs; bench/cause has another bug.
#include "common.h"

enum { kItems = 2 };

static Mutex mutex = MUTEX;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void tell(void) { BUG_OR(pthread_cond_signal, pthread_cond_broadcast)(&changed); }

static void* produce(void* nothing) {
  for (int i = 0; i < kItems; ++i) {
    lock(&mutex);
    while (filled == 1) pthread_cond_wait(&changed, &mutex);
    filled = 1;
    tell();
    unlock(&mutex);
  }
  return nothing;
}

static void* consume(void* nothing) {
  for (int i = 0; i < kItems; ++i) {
    lock(&mutex);
    while (filled == 0) pthread_cond_wait(&changed, &mutex);
    filled = 0;
    tell();
    unlock(&mutex);
  }
  return nothing;
}

int main(void) {
  RUN({produce, 2}, {consume, 2});
  return 0;
}
