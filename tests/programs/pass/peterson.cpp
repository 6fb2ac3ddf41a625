// Peterson's mutual exclusion with sequentially consistent atomics.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> wants[2];
std::atomic<int> turn{0};
int inside = 0, entries = 0;

void enter(int me) {
  const int other = 1 - me;
  wants[me].store(true);
  turn.store(other);
  while (wants[other].load() && turn.load() == other) std::this_thread::yield();
  assert(++inside == 1);
  ++entries;
  --inside;
  wants[me].store(false);
}

int main() {
  std::thread first([] { enter(0); });
  std::thread second([] { enter(1); });
  first.join();
  second.join();
  assert(entries == 2);
}
