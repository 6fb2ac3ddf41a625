// outcomes: 0, 1, 2
// heddle_choose: the strategy picks the value.
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>

static int picked;

static void* work(void* argument) {
  picked = (int)heddle_choose(3);
  heddle_note("picked");
  return argument;
}

int main(void) {
  pthread_t thread;
  assert(pthread_create(&thread, NULL, work, NULL) == 0);
  assert(pthread_join(thread, NULL) == 0);
  const char outcome[] = {(char)('0' + picked), '\0'};
  heddle_assert(picked >= 0 && picked < 3);
  heddle_outcome(outcome);
  return 0;
}
