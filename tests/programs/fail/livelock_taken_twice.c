// expect: livelock
// message: 1 thread repeats the same operations for ever
// A spin lock is taken twice: the second test-and-set never ends.
#include <stdatomic.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {
  }
}

int main(void) {
  lock();
  lock();
  return 0;
}
