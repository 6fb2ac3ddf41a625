// expect: reported failure
// message: the flag is there before what it announces
// Two bodies of heddle::check in one program: each execution runs both, and the second one fails.
#include <heddle/heddle.h>

#include <atomic>
#include <thread>

int main() {
  heddle::check([] {
    std::atomic<int> sum{0};
    std::thread other([&] { sum += 2; });
    sum += 1;
    other.join();
    heddle_assert(sum == 3);
  });
  heddle::check([] {
    std::atomic<int> data{0}, flag{0};
    std::thread other([&] {
      data.store(1, std::memory_order_relaxed);
      flag.store(1, std::memory_order_relaxed);
    });
    if (flag.load(std::memory_order_relaxed) == 1 && data.load(std::memory_order_relaxed) == 0)
      heddle_fail("the flag is there before what it announces");
    other.join();
  });
}
