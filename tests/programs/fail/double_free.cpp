// expect: double free
// message: Freed by
// message: allocated by
// Two owners, each of whom sees that the last reference is gone.
#include <atomic>
#include <cstdlib>
#include <thread>

std::atomic<int> references{2};
void* block;

void drop() {
  const int left = references.load() - 1;
  references.store(left);
  if (left <= 1 && references.load() <= 1) std::free(block);
}

int main() {
  block = std::malloc(24);
  std::thread other(drop);
  drop();
  other.join();
}
