// expect: assertion failure
// executions: 3000
// Treiber's stack over slots that are used again: between reading the top's successor and the
// compare-exchange the top goes away and comes back, with another successor.
#include <atomic>
#include <cassert>
#include <thread>

constexpr int kNone = -1;
std::atomic<int> top{0};
std::atomic<int> next[3] = {1, 2, kNone};

int pop() {
  int first = top.load();
  while (first != kNone && !top.compare_exchange_strong(first, next[first].load())) {
  }
  return first;
}

void push(int slot) {
  int first = top.load();
  do {
    next[slot].store(first);
  } while (!top.compare_exchange_strong(first, slot));
}

int main() {
  int kept = kNone;
  std::thread other([&] {
    const int scratch = pop();
    kept = pop();
    if (scratch != kNone) push(scratch);
  });
  const int first = pop();
  const int second = pop();
  other.join();
  assert(kept == kNone || (kept != first && kept != second));
}
