// expect: mutex misuse
// Unlocks once too often on a path that only some schedules take.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int busy;

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  atomic_store(&busy, 1);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  if (atomic_load(&busy)) pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
