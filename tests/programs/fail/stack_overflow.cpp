// expect: stack overflow
// A recursion whose end is taken away by another thread.
#include <atomic>
#include <thread>

std::atomic<bool> stop{true};

int descend(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  if (stop.load(std::memory_order_relaxed) && depth > 2) return depth;
  return descend(depth + 1) + frame[depth % 4096];
}

int main() {
  std::thread thread([] { stop.store(false); });
  volatile int depth = descend(0);
  (void)depth;
  thread.join();
}
