// expect: non-zero exit status
// A program that checks itself and says so by its status.
#include <atomic>
#include <cstdio>
#include <thread>

int main() {
  std::atomic<int> last{0};
  std::thread first([&] { last.store(1); });
  std::thread second([&] { last.store(2); });
  first.join();
  second.join();
  if (last.load() == 2) return 0;
  std::puts("the first one came last");
  return 4;
}
