// expect: assertion failure
// Looks first and raises its flag afterwards: both can be inside.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<bool> flags[2];
std::atomic<int> inside{0};

void enter(int me) {
  while (flags[1 - me].load()) std::this_thread::yield();
  flags[me].store(true);
  assert(inside.fetch_add(1) == 0);
  inside.fetch_sub(1);
  flags[me].store(false);
}

int main() {
  std::thread first([] { enter(0); });
  std::thread second([] { enter(1); });
  first.join();
  second.join();
}
