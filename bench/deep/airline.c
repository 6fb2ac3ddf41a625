// Ticket sales (IBM's airline example): N agents sell a seat each and stop when the plane is full. Bug: an
// agent has looked before another one has counted the last seat.
// bench/cause and bench/search have other bugs of an airline, in C++ after the thesis.
#include "common.h"

enum { kSeats = N - 1 };

static atomic_int sold, full;
#ifdef CORRECT
static Mutex mutex = MUTEX;
#endif

static void* sell(void* nothing) {
  BUG_OR((void)0, lock(&mutex));
  if (!full) {
    if (atomic_fetch_add(&sold, 1) + 1 >= kSeats) full = 1;
  }
  BUG_OR((void)0, unlock(&mutex));
  return nothing;
}

int main(void) {
  RUN({sell, N});
  assert(sold <= kSeats);
  return 0;
}
