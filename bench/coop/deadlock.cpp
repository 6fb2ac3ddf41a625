// Deadlock: two locks, taken in either order.
// bench/deep/deadlock01.c is the same bug in C, with a correct twin.
#include <mutex>

#include "coop.h"

std::mutex first, second;
int balance_a = 10, balance_b = 10;

void forth() {
  const std::lock_guard<std::mutex> outer(first);
  work(1500);
  const std::lock_guard<std::mutex> inner(second);
  balance_a -= 1;
  balance_b += 1;
}

void back() {
  linger(10000);
  const std::lock_guard<std::mutex> outer(second);
  work(1500);
  const std::lock_guard<std::mutex> inner(first);
  balance_b -= 1;
  balance_a += 1;
}

int main() {
  run_threads(forth, back);
  assert(balance_a + balance_b == 20);
}
