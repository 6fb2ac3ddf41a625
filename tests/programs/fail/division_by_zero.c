// expect: fatal signal
// message: SIGFPE
// A divisor is checked and then read again.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int workers = 1;
static volatile int share;

static void* leave(void* argument) {
  atomic_fetch_sub(&workers, 1);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, leave, NULL);
  if (atomic_load(&workers) > 0) share = 100 / atomic_load(&workers);
  pthread_join(thread, NULL);
  return 0;
}
