// expect: deadlock
// An early return with the lock held: whoever comes later waits for a thread that is gone.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int tasks = 1;

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  if (tasks == 0) return argument;
  --tasks;
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  return 0;
}
