// Pool: an idle object is borrowed while the evictor looks at it. Only where it was due for eviction and in
// use at the same moment is it closed twice.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> idle{0}, due{0}, in_use{0}, tests{0}, waiting{0}, created{0}, evicted{0};

void borrow() {
  idle.store(1);
  for (int i = 0; i < 6; ++i) created.fetch_add(1);
  due.store(1);
  in_use.store(1);
  created.fetch_add(1);
  due.store(0);
  in_use.store(0);
  for (int i = 0; i < 6; ++i) created.fetch_add(1);
  idle.store(0);
}

void evict() {
  int budget = 100;
  if (due.load() != 0) {
    evicted.store(1);
    budget -= 50;
  }
  if (in_use.load() != 0) {
    evicted.store(2);
    budget -= 50;
  }
  if (tests.load() > 1) waiting.store(1);
  if (waiting.load() > 1) tests.store(1);
  if (created.load() > 99) waiting.store(2);
  assert(created.load() <= budget);
}

}  // namespace

int main() {
  std::thread t1(borrow), t2(evict);
  t1.join();
  t2.join();
  return evicted.load() < 0 ? 1 : 0;
}
