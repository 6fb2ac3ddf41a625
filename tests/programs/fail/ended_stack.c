// expect: use of the stack of a thread that has ended | data race
// message: Location is stack of thread T1
// A detached thread gives away the address of a local variable and ends.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Atomic(int*) given;

static void* give(void* unused) {
  int local = 0;
  atomic_store(&given, &local);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, give, NULL);
  pthread_detach(thread);
  int* local = atomic_load(&given);
  if (local != NULL) *local = 42;
  return 0;
}
