// expect: mutex misuse
// A mutex is destroyed while a thread is inside.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex;
static atomic_int entered;

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  atomic_store(&entered, 1);
  pthread_mutex_unlock(&mutex);
  return argument;
}

int main(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (!atomic_load(&entered)) {
  }
  pthread_mutex_destroy(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
