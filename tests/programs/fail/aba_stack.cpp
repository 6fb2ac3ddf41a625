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
std::atomic<int> taken[3];

int pop() {
  int first = top.load();
  while (first != kNone && !top.compare_exchange_strong(first, next[first].load())) {
  }
  if (first != kNone) assert(taken[first].fetch_add(1) == 0);
  return first;
}

void push(int slot) {
  taken[slot].store(0);
  int first = top.load();
  do {
    next[slot].store(first);
  } while (!top.compare_exchange_strong(first, slot));
}

int main() {
  std::thread other([] {
    const int a = pop();
    pop();
    if (a != kNone) push(a);
  });
  pop();
  pop();
  other.join();
}
