// Orders of a shop: each has a state with a lock of its own. The warehouse ships what is paid; the help desk cancels
// what is paid and pays it back. Both look at the state with one call and change it with another.
#include <array>
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

enum class State { kNew, kPaid, kShipped, kCancelled };

class Order {
 public:
  explicit Order(int price) : price_(price) {}

  State state() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return state_;
  }

  void set_state(State state) {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = state;
  }

  // Goes from one state to another; false if it was not in the first.
  bool advance(State from, State to) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ != from) return false;
    state_ = to;
    return true;
  }

  int price() const { return price_; }

 private:
  mutable std::mutex mutex_;
  State state_ = State::kNew;
  const int price_;
};

using Orders = std::array<Order, 2>;

class Warehouse {
 public:
  void ship(Order& order) {
#ifndef CORRECT
    if (order.state() != State::kPaid) return;
    order.set_state(State::kShipped);
#else
    if (!order.advance(State::kPaid, State::kShipped)) return;
#endif
    sent_.push_back(&order);
  }

  const std::vector<const Order*>& sent() const { return sent_; }

 private:
  std::vector<const Order*> sent_;
};

class HelpDesk {
 public:
  void cancel(Order& order) {
#ifndef CORRECT
    if (order.state() != State::kPaid) return;
    order.set_state(State::kCancelled);
#else
    if (!order.advance(State::kPaid, State::kCancelled)) return;
#endif
    refunded_ += order.price();
  }

  int refunded() const { return refunded_; }

 private:
  int refunded_ = 0;
};

int main() {
  Orders orders{Order(20), Order(35)};
  for (Order& order : orders) {
    const bool paid = order.advance(State::kNew, State::kPaid);
    assert(paid);
    (void)paid;
  }

  Warehouse warehouse;
  HelpDesk desk;
  std::thread shipping([&] {
    for (Order& order : orders) warehouse.ship(order);
  });
  std::thread calls([&] { desk.cancel(orders[1]); });
  shipping.join();
  calls.join();

  int earned = 0;
  for (const Order* order : warehouse.sent()) earned += order->price();
  assert(earned + desk.refunded() == 55);
}
