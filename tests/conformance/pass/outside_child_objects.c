// executions: 30
// A forked child goes on natively, with objects that its parent has made and used.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void* meet(void* argument) {
  for (int round = 0; round < 3; ++round) pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return argument;
}

static void meet_another(void) {
  pthread_t other;
  ready = 0;
  assert(pthread_create(&other, NULL, meet, NULL) == 0);
  for (int round = 0; round < 3; ++round) pthread_barrier_wait(&barrier);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
}

int main(void) {
  assert(pthread_barrier_init(&barrier, NULL, 2) == 0);
  meet_another();
  pid_t child = fork();
  if (child == 0) {
    meet_another();
    _exit(0);
  }
  meet_another();
  int status = 1;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return 0;
}
