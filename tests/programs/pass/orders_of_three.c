// outcomes: abc, acb, bac, bca, cab, cba
// Every order in which three threads can take a mutex is explored.
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char order[4];
static int count;

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  order[count++] = (char)(intptr_t)argument;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (intptr_t i = 0; i < 3; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)('a' + i)) == 0);
  for (int i = 0; i < 3; ++i) assert(pthread_join(threads[i], NULL) == 0);
  heddle_outcome(order);
  return 0;
}
