// A ring of threads that hand a number on (SCTBench, from "CS"), each with its own step under the lock. Bug:
// nothing makes the steps take turns, so that the last one sees a ring that is half done.
#include "common.h"

enum { kStations = 4 };

static Mutex mutex = MUTEX;
static pthread_cond_t turns = PTHREAD_COND_INITIALIZER;
static int values[kStations], turn, broken;

static void* hand_on(void* argument) {
  const int me = (int)(long)argument;
  lock(&mutex);
#ifdef CORRECT
  while (turn != me) pthread_cond_wait(&turns, &mutex);
#endif
  if (me == 0) values[0] = values[kStations - 1] + 1;
  if (me != 0) values[me] = values[me - 1];
  if (me == kStations - 1 && values[0] == 1) {
    for (int i = 1; i < kStations; ++i) broken |= values[i] != values[0];
  }
  ++turn;
  pthread_cond_broadcast(&turns);
  unlock(&mutex);
  return NULL;
}

int main(void) {
  RUN({hand_on, kStations});
  assert(!broken);
  return 0;
}
