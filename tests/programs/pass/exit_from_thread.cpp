// exit() from a thread that is not main: handlers and static destructors run, main never goes on.
#include <cassert>
#include <cstdlib>
#include <thread>

int steps = 0;

struct Global {
  ~Global() {
    assert(steps == 2);
    std::_Exit(0);  // what decides is here: without this line the status would be 5
  }
} global;

int main() {
  std::atexit([] { assert(++steps == 2); });
  std::thread thread([] {
    assert(++steps == 1);
    std::exit(5);
  });
  thread.join();
  assert(false);
}
