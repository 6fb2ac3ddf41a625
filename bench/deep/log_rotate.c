// A log that is closed and opened anew while others write to it (after MySQL's bug 791). Bug: a record is
// dropped by a writer that looks while the log is closed for a moment.
#include "common.h"

static Mutex mutex = MUTEX;
static atomic_int is_open = 1;
static atomic_int written, attempted;

static void* write_record(void* nothing) {
  for (int i = 0; i < 2; ++i) {
    ++attempted;
    BUG_OR((void)0, lock(&mutex));
    if (is_open) {
      BUG_OR(lock(&mutex), (void)0);
      ++written;
      BUG_OR(unlock(&mutex), (void)0);
    }
    BUG_OR((void)0, unlock(&mutex));
  }
  return nothing;
}

static void* rotate(void* nothing) {
  lock(&mutex);
  is_open = 0;
  is_open = 1;
  unlock(&mutex);
  return nothing;
}

int main(void) {
  RUN({write_record, 2}, {rotate, 1});
  assert(written == attempted);
  return 0;
}
