// flags: -fopenmp
// executions: 10
// Who waits for its tasks spins in LLVM's runtime until another thread has ended them.
#include <cassert>

namespace {

int fibonacci(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

}  // namespace

int main() {
  int result = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  result = fibonacci(4);
  assert(result == 3);
}
