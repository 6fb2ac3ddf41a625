// expect: livelock
// executions: 60
// Two polite threads: each says that it wants to go, then waits for as long as the other one wants to.
#include <atomic>
#include <thread>

std::atomic<bool> wants[2];

void pass_door(int me) {
  wants[me].store(true);
  while (wants[1 - me].load()) std::this_thread::yield();
  wants[me].store(false);
}

int main() {
  std::thread first([] { pass_door(0); });
  std::thread second([] { pass_door(1); });
  first.join();
  second.join();
}
