// expect: assertion failure
// Each access is under the lock, the decision is not.
#include <cassert>
#include <mutex>
#include <thread>

class Account {
 public:
  int balance() {
    std::lock_guard lock(mutex_);
    return balance_;
  }
  void withdraw(int amount) {
    std::lock_guard lock(mutex_);
    balance_ -= amount;
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

int main() {
  Account account;
  const auto customer = [&] {
    if (account.balance() >= 80) account.withdraw(80);
  };
  std::thread first(customer), second(customer);
  first.join();
  second.join();
  assert(account.balance() >= 0);
}
