// Files that an execution opens, writes and reads.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;

static void* work(void* argument) {
  pthread_mutex_lock(&mutex);
  assert(fprintf(file, "%d\n", (int)(intptr_t)argument) > 0);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  file = tmpfile();
  assert(file != NULL);
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)(i + 1)) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  rewind(file);
  int a = 0, b = 0;
  assert(fscanf(file, "%d %d", &a, &b) == 2);
  assert(a + b == 3);
  fclose(file);
  return 0;
}
