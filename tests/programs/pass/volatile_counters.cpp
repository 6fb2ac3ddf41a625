// Volatile reads and writes of one thread follow each other, whatever size they have; restored values leave
// no trace.
#include <cassert>
#include <cstdint>
#include <cstring>
#include <thread>

volatile std::uint8_t small;
volatile std::uint64_t large;
volatile int shared;

int main() {
  std::thread other([] {
    for (int i = 1; i <= 3; ++i) shared = i;
  });
  int last = 0;
  for (int i = 0; i < 4; ++i) {
    const int now = shared;
    assert(now >= last);
    last = now;
    small = static_cast<std::uint8_t>(small + 1);
    large = large + small;
  }
  other.join();
  assert(shared == 3);
  int copy;
  std::memcpy(&copy, const_cast<int*>(&shared), sizeof copy);
  assert(copy == 3 && small == 4 && large == 10);
}
