// twostage_N (SCTBench, from "CS"): each writer sets the first datum under one lock and derives the second
// from it under another; a reader looks at both in the same way. Bug: the reader comes between the first
// stage of one and the second of all.
// bench/cause and bench/coop have it in C++ after the thesis, with three threads.
#include "common.h"

static Mutex first = MUTEX, second = MUTEX, both = MUTEX;
static int datum, derived;

static void* write_stages(void* nothing) {
  BUG_OR((void)0, lock(&both));
  lock(&first);
  const int mine = datum = 1;
  unlock(&first);
  lock(&second);
  derived = mine + 1;
  unlock(&second);
  BUG_OR((void)0, unlock(&both));
  return nothing;
}

static void* read_stages(void* nothing) {
  BUG_OR((void)0, lock(&both));
  lock(&first);
  const int seen = datum;
  unlock(&first);
  int follows = 1;
  if (seen != 0) {
    lock(&second);
    follows = derived == seen + 1;
    unlock(&second);
  }
  BUG_OR((void)0, unlock(&both));
  assert(follows);
  return nothing;
}

int main(void) {
  RUN({write_stages, N - 1}, {read_stages, 1});
  return 0;
}
