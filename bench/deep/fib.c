// fib_bench_N (SV-COMP, SCTBench): two threads add each other's number to their own, N times each. Bug: the
// numbers reach the Fibonacci number that takes every step of one thread between two of the other. The twin
// allows that one, which is the largest.
#include "common.h"

static atomic_int i = 1, j = 1;

static void* add_j(void* nothing) {
  for (int k = 0; k < N; ++k) i = i + j;
  return nothing;
}

static void* add_i(void* nothing) {
  for (int k = 0; k < N; ++k) j = j + i;
  return nothing;
}

int main(void) {
  RUN({add_j, 1}, {add_i, 1});
  int smaller = 1, largest = 1;  // after 2 N steps
  for (int k = 0; k < 2 * N; ++k) {
    const int sum = smaller + largest;
    smaller = largest;
    largest = sum;
  }
  const int reached = i > j ? i : j;
  assert(BUG_OR(reached < largest, reached <= largest));
  return 0;
}
