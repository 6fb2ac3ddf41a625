// Dining philosophers (din_phil_N of SCTBench). Bug: all take their left fork and wait for the right one. In
// the twin the last one begins with the right.
#include "common.h"

static Mutex forks[N];

static void* dine(void* argument) {
  const int me = (int)(long)argument;
  int first = me;
  int second = (me + 1) % N;
  if (BUG_OR(0, me == N - 1)) {
    first = second;
    second = me;
  }
  lock(&forks[first]);
  lock(&forks[second]);
  unlock(&forks[second]);
  unlock(&forks[first]);
  return NULL;
}

int main(void) {
  for (int i = 0; i < N; ++i) pthread_mutex_init(&forks[i], NULL);
  RUN({dine, N});
  return 0;
}
