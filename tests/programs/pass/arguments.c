// args: one "two words" ""
// The program gets its arguments as they were given.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void* work(void* argument) {
  char** words = argument;
  assert(strcmp(words[1], "one") == 0 && strcmp(words[2], "two words") == 0 && words[3][0] == '\0');
  return NULL;
}

int main(int count, char** words) {
  assert(count == 4);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, work, words) == 0);
  assert(pthread_join(thread, NULL) == 0);
  return 0;
}
