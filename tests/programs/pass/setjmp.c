// longjmp within a thread, with switches between.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdint.h>

static void dive(jmp_buf* target, int depth) {
  sched_yield();
  if (depth < 0) return;
  if (depth > 0) dive(target, depth - 1);
  longjmp(*target, 7);
}

static void* work(void* argument) {
  jmp_buf target;
  const int came = setjmp(target);
  if (came == 0) dive(&target, (int)(intptr_t)argument);
  assert(came == 7);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (intptr_t i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, work, (void*)(i + 3)) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  return 0;
}
