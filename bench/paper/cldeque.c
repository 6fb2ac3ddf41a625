// The work-stealing deque of Chase and Lev in the version of Lê et al. (2013; thesis 7.1.2). The owner pushes
// three items and takes two, another thread steals one. The bug is that of the published code: a push that
// resizes makes the new array visible to a thief with a relaxed store, so that the thief may read entries
// that are not initialised yet. It shows as a data race on the array's header, or as an item that nobody
// pushed.
#include "common.h"

typedef struct {
  size_t size;
  atomic_int items[];
} Array;

static atomic_size_t top, bottom;
static _Atomic(Array*) array;

enum { kEmpty = -1, kAbort = -2 };

static Array* new_array(size_t size) {
  Array* a = calloc(1, sizeof *a + size * sizeof(atomic_int));
  a->size = size;
  return a;
}

static void resize(void) {
  Array* old = atomic_load_explicit(&array, RLX);
  Array* larger = new_array(old->size * 2);
  const size_t end = atomic_load_explicit(&bottom, RLX);
  for (size_t i = atomic_load_explicit(&top, RLX); i < end; ++i) {
    atomic_store_explicit(&larger->items[i % larger->size],
                          atomic_load_explicit(&old->items[i % old->size], RLX), RLX);
  }
  atomic_store_explicit(&array, larger, BUG_OR(RLX, REL));
}

static void push(int item) {
  const size_t b = atomic_load_explicit(&bottom, RLX);
  const size_t t = atomic_load_explicit(&top, ACQ);
  Array* a = atomic_load_explicit(&array, RLX);
  if (b - t > a->size - 1) {
    resize();
    a = atomic_load_explicit(&array, RLX);
  }
  atomic_store_explicit(&a->items[b % a->size], item, RLX);
  atomic_thread_fence(REL);
  atomic_store_explicit(&bottom, b + 1, RLX);
}

static int take(void) {
  const size_t b = atomic_load_explicit(&bottom, RLX) - 1;
  Array* a = atomic_load_explicit(&array, RLX);
  atomic_store_explicit(&bottom, b, RLX);
  atomic_thread_fence(SC);
  size_t t = atomic_load_explicit(&top, RLX);
  if ((long)(b - t) < 0) {
    atomic_store_explicit(&bottom, b + 1, RLX);
    return kEmpty;
  }
  int item = atomic_load_explicit(&a->items[b % a->size], RLX);
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, SC, RLX)) item = kEmpty;
    atomic_store_explicit(&bottom, b + 1, RLX);
  }
  return item;
}

static int steal(void) {
  size_t t = atomic_load_explicit(&top, ACQ);
  atomic_thread_fence(SC);
  const size_t b = atomic_load_explicit(&bottom, ACQ);
  if ((long)(b - t) <= 0) return kEmpty;
  Array* a = atomic_load_explicit(&array, BUG_OR(RLX, ACQ));
  const int item = atomic_load_explicit(&a->items[t % a->size], RLX);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, SC, RLX)) return kAbort;
  return item;
}

static int taken, taken_too, stolen;

static void* own(void* nothing) {
  push(1);
  push(2);
  push(4);
  taken = take();
  taken_too = take();
  return nothing;
}

static void* thieve(void* nothing) {
  stolen = steal();
  return nothing;
}

int main(void) {
  atomic_init(&array, new_array(2));
  const body bodies[2] = {own, thieve};
  run_threads(2, bodies);
  assert(taken != 0 && taken_too != 0 && stolen != 0);
  return 0;
}
