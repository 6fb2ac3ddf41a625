// expect: deadlock
// message: abba_deadlock.cpp
// Two locks in two orders.
#include <mutex>
#include <thread>

int main() {
  std::mutex a, b;
  std::thread first([&] {
    std::lock_guard outer(a);
    std::lock_guard inner(b);
  });
  std::thread second([&] {
    std::lock_guard outer(b);
    std::lock_guard inner(a);
  });
  first.join();
  second.join();
}
