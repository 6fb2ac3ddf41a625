// expect: assertion failure
// Two atomic operations where one was needed: an increment gets lost.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> counter{0};
  const auto increment = [&] { counter.store(counter.load() + 1); };
  std::thread first(increment), second(increment);
  first.join();
  second.join();
  assert(counter.load() == 2);
}
