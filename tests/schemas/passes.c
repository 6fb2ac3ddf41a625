// Two threads, and nothing wrong with them.
#include <heddle/heddle.h>
#include <pthread.h>

static void* nothing(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, 0);
  heddle_outcome("done");
}
