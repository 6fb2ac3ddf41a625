// The Bluetooth driver of KISS (Qadeer and Wu 2004): requests count themselves, and the driver stops when the
// last one is done. Bug: a request looks whether the driver stops before it has counted itself.
#include <semaphore.h>

#include "common.h"

static atomic_int stopping, stopped, pending = 1;
static sem_t all_done;

static void end_request(void) {
  if (atomic_fetch_sub(&pending, 1) == 1) sem_post(&all_done);
}

static int begin_request(void) {
  BUG_OR(if (stopping) return 0, (void)0);
  atomic_fetch_add(&pending, 1);
  if (BUG_OR(0, stopping)) {
    end_request();
    return 0;
  }
  return 1;
}

static void* request(void* nothing) {
  if (!begin_request()) return nothing;
  assert(!stopped);
  end_request();
  return nothing;
}

static void* stop(void* nothing) {
  stopping = 1;
  end_request();
  sem_wait(&all_done);
  stopped = 1;
  return nothing;
}

int main(void) {
  sem_init(&all_done, 0, 0);
  RUN({request, 2}, {stop, 1});
  return 0;
}
