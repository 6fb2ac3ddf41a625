// ExMCR: two stages of a hand-over that are both half done only for a moment, among reads that do not matter.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> x{0}, y{0}, other{0}, steps{0}, seen{0};

void writer() {
  if (steps.load() > 3) seen.store(1);
  other.store(1);
  for (int i = 1; i < 4; ++i) x.store(i);
  y.store(1);
  x.store(4);
  y.store(0);
  other.store(0);
  for (int i = 5; i < 9; ++i) x.store(i);
}

void reader() {
  int budget = 100;
  if (x.load() == 3) {
    seen.store(1);
    budget -= 50;
  }
  for (int i = 0; i < 4; ++i) steps.fetch_add(1);
  if (other.load() > 1) seen.store(2);
  for (int i = 0; i < 4; ++i) steps.fetch_add(1);
  if (y.load() == 1) {
    seen.store(3);
    budget -= 50;
  }
  assert(steps.load() <= budget);
}

}  // namespace

int main() {
  std::thread t1(writer), t2(reader);
  t1.join();
  t2.join();
  return seen.load() < 0 ? 1 : 0;
}
