// expect: fatal signal
// message: SIGTERM
#include <pthread.h>
#include <signal.h>

static void* work(void* unused) {
  raise(SIGTERM);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
