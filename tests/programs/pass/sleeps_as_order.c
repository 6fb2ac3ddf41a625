// run: --sleep timed --spurious 0
// With --sleep timed a sleep is over when the other threads have done what they can before its time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int stage;

static void* second(void* unused) {
  usleep(2000);
  assert(atomic_load(&stage) == 1);
  atomic_store(&stage, 2);
  return unused;
}
static void* first(void* unused) {
  usleep(1000);
  atomic_store(&stage, 1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, second, NULL);
  pthread_create(&b, NULL, first, NULL);
  sleep(1);
  assert(atomic_load(&stage) == 2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
