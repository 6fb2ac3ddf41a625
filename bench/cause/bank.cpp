// Bank: accounts have locks of their own, the bank's total is read and written in two steps. An update is
// lost, and noticed only at the end.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

constexpr int kRounds = 4;
std::mutex account_locks[2], total_lock;
int accounts[2];
int bank_total;

void deposit(int account, int amount) {
  {
    std::lock_guard<std::mutex> guard(account_locks[account]);
    accounts[account] += amount;
  }
  total_lock.lock();
  const int total = bank_total;
  total_lock.unlock();
  total_lock.lock();
  bank_total = total + amount;
  total_lock.unlock();
}

void customer(int account) {
  for (int i = 1; i <= kRounds; ++i) deposit(account, i);
}

}  // namespace

int main() {
  for (int i = 0; i < 4; ++i) deposit(i % 2, 1);
  std::thread first(customer, 0), second(customer, 1);
  first.join();
  second.join();
  int sum = 0;
  for (const int balance : accounts) sum += balance;
  assert(sum == bank_total);
  return 0;
}
