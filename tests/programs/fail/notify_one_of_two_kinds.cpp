// expect: deadlock
// message: went to another one
// executions: 2000
// One condition variable for two conditions, and notify_one: the signal reaches a thread that cannot use it.
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  bool red = false, green = false;
  const auto wait_for = [&](bool& colour) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return colour; });
  };
  const auto turn_on = [&](bool& colour) {
    std::lock_guard lock(mutex);
    colour = true;
    changed.notify_one();
  };
  std::thread first([&] { wait_for(red); });
  std::thread second([&] { wait_for(green); });
  turn_on(red);
  turn_on(green);
  first.join();
  second.join();
}
