// A thread that is neither joined nor detached: a warning, and no bug.
#include <pthread.h>

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
}
