// Lazy initialisation with a check before the lock, and none under it. Bug: two threads initialise, and the
// first one's object is lost.
#include "common.h"

static Mutex mutex = MUTEX;
static _Atomic(int*) instance;
static atomic_int made;

static int* get(void) {
  if (instance == NULL) {
    lock(&mutex);
    if (BUG_OR(1, instance == NULL)) {
      int* fresh = malloc(sizeof *fresh);
      *fresh = 1 + made++;
      instance = fresh;
    }
    unlock(&mutex);
  }
  return instance;
}

static void* use(void* nothing) {
  int* mine = get();
  assert(*mine == 1);
  return nothing;
}

int main(void) {
  RUN({use, 3});
  free(instance);
  return 0;
}
