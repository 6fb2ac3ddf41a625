// Threads that start threads.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> leaves{0};

void grow(int depth) {
  if (depth == 0) {
    leaves.fetch_add(1);
    return;
  }
  std::thread left([depth] { grow(depth - 1); });
  std::thread right([depth] { grow(depth - 1); });
  left.join();
  right.join();
}

int main() {
  grow(3);
  assert(leaves.load() == 8);
}
