// std::scoped_lock takes two mutexes in any order without a deadlock.
#include <cassert>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 100;
};

void transfer(Account& from, Account& to, int amount) {
  std::scoped_lock lock(from.mutex, to.mutex);
  from.balance -= amount;
  to.balance += amount;
}

int main() {
  Account a, b;
  std::thread first([&] { transfer(a, b, 30); });
  std::thread second([&] { transfer(b, a, 50); });
  first.join();
  second.join();
  assert(a.balance == 120 && b.balance == 80);
}
