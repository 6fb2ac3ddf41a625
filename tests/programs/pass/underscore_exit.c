// _exit() from a thread ends the process at once, without handlers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void) { abort(); }

static void* work(void* argument) {
  (void)argument;
  _exit(0);
}

int main(void) {
  atexit(never);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, work, NULL) == 0);
  pthread_join(thread, NULL);
  abort();
}
