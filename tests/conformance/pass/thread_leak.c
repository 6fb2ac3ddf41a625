// message: WARNING: heddle: thread leak
// executions: 20
// A thread that was neither joined nor detached is a warning, whether it has ended or not.
#include <pthread.h>
#include <unistd.h>

static void* end_at_once(void* unused) { return unused; }
static void* never_end(void* unused) {
  for (;;) sleep(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, end_at_once, NULL);
  pthread_create(&thread, NULL, never_end, NULL);
  return 0;  // exit ends what still runs
}
