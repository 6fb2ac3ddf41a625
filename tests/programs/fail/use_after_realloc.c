// expect: heap use after free
// message: Freed by
// message: grow
// An array moves while another thread still has its old address; a lock orders the two, but too late.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int* numbers;

static void* grow(void* unused) {
  pthread_mutex_lock(&mutex);
  numbers = realloc(numbers, 4000 * sizeof *numbers);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  numbers = calloc(4, sizeof *numbers);
  int* mine = numbers;
  pthread_t thread;
  pthread_create(&thread, NULL, grow, NULL);
  pthread_mutex_lock(&mutex);
  mine[0] = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  free(numbers);
  return 0;
}
