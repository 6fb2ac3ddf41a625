// expect: reported failure
// message: STALE
// Dekker's entry with volatile variables: under the default both threads may read the old value.
#include <heddle/heddle.h>

#include <thread>

volatile int x, y;
int r1, r2;

int main() {
  std::thread first([] {
    x = 1;
    r1 = y;
  });
  std::thread second([] {
    y = 1;
    r2 = x;
  });
  first.join();
  second.join();
  if (r1 == 0 && r2 == 0) heddle_fail("both threads read the old value");
}
