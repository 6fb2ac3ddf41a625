// Critical: who finds the section taken notes it, and then goes in all the same.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> owner{0}, inside{0}, contended{0}, visits{0}, late{0};

void section(int me) {
  if (owner.exchange(me) != 0) contended.store(contended.load() + 1);
  inside.fetch_add(1);
  if (visits.load() > 0) late.store(1);
  visits.store(visits.load() + 1);
  assert(inside.load() == 1);
  inside.fetch_sub(1);
  owner.store(0);
}

}  // namespace

int main() {
  std::thread t1(section, 1), t2(section, 2);
  t1.join();
  t2.join();
  return late.load() + contended.load() < 0 ? 1 : 0;
}
