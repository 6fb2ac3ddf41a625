// outcomes: 01, 10, 11
// Store buffering with sequentially consistent atomics: every outcome but 00.
#include <heddle/heddle.h>

#include <atomic>
#include <thread>

int main() {
  std::atomic<int> x{0}, y{0};
  int a = 0, b = 0;
  std::thread first([&] {
    x.store(1);
    a = y.load();
  });
  std::thread second([&] {
    y.store(1);
    b = x.load();
  });
  first.join();
  second.join();
  const char outcome[] = {static_cast<char>('0' + a), static_cast<char>('0' + b), '\0'};
  heddle_outcome(outcome);
}
