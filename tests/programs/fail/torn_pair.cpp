// expect: assertion failure
// Two values that belong together are read one after the other.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> low{0}, high{0};
  std::thread writer([&] {
    low.store(1);
    high.store(1);
  });
  const int h = high.load();
  const int l = low.load();
  writer.join();
  assert(h == l);
}
