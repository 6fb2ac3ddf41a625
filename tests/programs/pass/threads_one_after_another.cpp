// executions: 2
// run: --timeout 5m
// Many more threads than there may be at once.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  constexpr int kThreads = 65'536;
  std::atomic<int> done{0};
  for (int i = 0; i < kThreads; ++i) std::thread([&] { ++done; }).join();
  assert(done == kThreads);
}
