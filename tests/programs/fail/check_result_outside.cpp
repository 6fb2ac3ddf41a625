// expect: non-zero exit status
// A body of heddle::check that changes what was there before: the program's end must not be left out.
#include <heddle/heddle.h>

#include <atomic>
#include <thread>

int main() {
  int failures = 0;
  heddle::check([&] {
    std::atomic<int> last{0};
    std::thread first([&] { last.store(1); });
    std::thread second([&] { last.store(2); });
    first.join();
    second.join();
    if (last.load() != 2) ++failures;
  });
  return failures;
}
