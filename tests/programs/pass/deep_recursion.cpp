// A recursion of a megabyte or two fits into a thread's stack, as it does natively.
#include <cassert>
#include <thread>

int depth(int n) {
  volatile char frame[128];
  frame[n % 128] = static_cast<char>(n);
  if (n == 0) return 0;
  const int below = depth(n - 1);
  return frame[n % 128] == static_cast<char>(n) ? below + 1 : -1;
}

int main() {
  std::thread first([] { assert(depth(6000) == 6000); });
  std::thread second([] { assert(depth(5000) == 5000); });
  assert(depth(4000) == 4000);
  first.join();
  second.join();
}
