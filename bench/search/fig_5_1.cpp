// Fig. 5.1 of the thesis: fails in the order 8-1-2-3-4-9-10-5-6-7 only, on paths that no execution which
// passes takes.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> x{0}, y{0}, w{0}, z{0};

void first() {
  if (z.load() > 0) w.store(w.load() + 1);
  x.store(1);
  y.store(1);
  if (y.load() == 0) x.store(x.load() - 1);
  assert(x.load() > 0);
}

void second() {
  z.store(1);
  if (w.load() > 0) y.store(0);
}

}  // namespace

int main() {
  std::thread t1(first), t2(second);
  t1.join();
  t2.join();
  return 0;
}
