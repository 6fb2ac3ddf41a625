// C: a condition variable from a static initialiser, a detached thread by attribute.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void* work(void* argument) {
  (void)argument;
  pthread_mutex_lock(&mutex);
  while (stage != 1) pthread_cond_wait(&changed, &mutex);
  stage = 2;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, work, NULL) == 0);
  pthread_attr_destroy(&attributes);
  pthread_mutex_lock(&mutex);
  stage = 1;
  pthread_cond_broadcast(&changed);
  while (stage != 2) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
