// A sleeping lock of one's own: waiters count themselves, and the owner wakes one if there is any. Bug: a
// waiter looks at the lock before it has counted itself, and sleeps after the owner has looked for waiters.
#include <semaphore.h>

#include "common.h"

static atomic_int held, waiting;
static sem_t woken;
static int inside;

static void take(void) {
  int is_free = 0;
  if (atomic_compare_exchange_strong(&held, &is_free, 1)) return;
  for (;;) {
    BUG_OR((void)0, ++waiting);
    is_free = 0;
    if (atomic_compare_exchange_strong(&held, &is_free, 1)) {
      BUG_OR((void)0, --waiting);
      return;
    }
    BUG_OR(++waiting, (void)0);
    sem_wait(&woken);
    --waiting;
  }
}

static void give(void) {
  held = 0;
  if (waiting > 0) sem_post(&woken);
}

static void* enter(void* nothing) {
  take();
  ++inside;
  give();
  return nothing;
}

int main(void) {
  sem_init(&woken, 0, 0);
  RUN({enter, 3});
  return inside != 3;
}
