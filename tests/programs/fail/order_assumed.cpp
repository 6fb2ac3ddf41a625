// expect: assertion failure
// message: order_assumed.cpp
// A thread takes for granted that another one was faster.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<bool> initialised{false};
  std::thread initialiser([&] { initialised.store(true); });
  std::thread user([&] { assert(initialised.load()); });
  initialiser.join();
  user.join();
}
