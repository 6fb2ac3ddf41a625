// expect: assertion failure
// run: -s exhaustive
// Each thread reads its own plain store back from the store buffer, by a seq_cst load, and then misses the other's: x86
// does this, and C++20's words forbid it (LWG 3941).
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>

std::atomic<int> x{0}, y{0};
int missed[2];

void enter(std::atomic<int>& mine, std::atomic<int>& other, int me) {
  mine.store(1, std::memory_order_release);
  const bool raised = mine.load() == 1;
  missed[me] = raised && other.load() == 0;
}

int main() {
  std::thread first(enter, std::ref(x), std::ref(y), 0);
  std::thread second(enter, std::ref(y), std::ref(x), 1);
  first.join();
  second.join();
  assert(!(missed[0] && missed[1]));
}
