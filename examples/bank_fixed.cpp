// The bank of bank.cpp, mended: std::scoped_lock takes both locks without a deadlock, whatever the order.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Account {
 public:
  Account(std::string owner, int balance) : owner_(std::move(owner)), balance_(balance) {}

  const std::string& owner() const { return owner_; }

  int balance() const {
    std::lock_guard lock(mutex_);
    return balance_;
  }

  static bool transfer(Account& from, Account& to, int amount) {
    std::scoped_lock both(from.mutex_, to.mutex_);
    if (from.balance_ < amount) return false;
    from.balance_ -= amount;
    to.balance_ += amount;
    return true;
  }

 private:
  const std::string owner_;
  mutable std::mutex mutex_;
  int balance_;
};

struct Order {
  Account* from;
  Account* to;
  int amount;
};

void teller(const std::vector<Order>& orders) {
  for (const Order& order : orders) Account::transfer(*order.from, *order.to, order.amount);
}

int main() {
  Account alice("Alice", 100), bob("Bob", 100), carol("Carol", 100);
  const std::vector<Order> morning = {{&alice, &bob, 30}, {&bob, &carol, 20}};
  const std::vector<Order> evening = {{&carol, &alice, 10}, {&bob, &alice, 40}};

  std::thread first(teller, morning);
  std::thread second(teller, evening);
  first.join();
  second.join();

  assert(alice.balance() + bob.balance() + carol.balance() == 300);
}
