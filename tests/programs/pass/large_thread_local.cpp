// executions: 20
// Thread-local storage that is larger than the usual stack.
#include <atomic>
#include <cassert>
#include <thread>

thread_local char large[64 << 20];
std::atomic<int> done{0};

int main() {
  large[0] = 1;
  const auto work = [] {
    assert(large[0] == 0);
    large[12'345'678] = 2;
    large[sizeof large - 1] = 3;
    ++done;
    assert(large[12'345'678] == 2);
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  assert(done == 2 && large[0] == 1 && large[12'345'678] == 0);
}
