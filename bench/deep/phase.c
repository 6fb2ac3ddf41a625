// A reusable barrier of one's own for N threads: the last to arrive opens it, all count themselves out. Bug:
// the count of arrivals is put back by the last one after it has opened, so that a thread that is fast comes
// to the next phase before and is lost.
#include "common.h"

static Mutex mutex = MUTEX;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int arrived, phase;

static void wait_for_all(void) {
  lock(&mutex);
  const int mine = phase;
  if (++arrived == N) {
    BUG_OR((void)0, arrived = 0);
    ++phase;
    pthread_cond_broadcast(&opened);
#ifndef CORRECT
    unlock(&mutex);
    lock(&mutex);
    arrived = 0;
#endif
  } else {
    while (phase == mine) pthread_cond_wait(&opened, &mutex);
  }
  unlock(&mutex);
}

static void* work(void* nothing) {
  wait_for_all();
  wait_for_all();
  return nothing;
}

int main(void) {
  RUN({work, N});
  return 0;
}
