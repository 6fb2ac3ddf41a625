// TicketOrder: atomicity violation. Agents take the number of the next ticket and write it forward in two
// steps; the tickets themselves are sold under a lock.
// Another bug than in bench/search, where the reserve is not looked at.
#include <mutex>

#include "coop.h"

constexpr int kAgents = 4;
constexpr int kOrders = 150;

std::mutex lock;
int next_ticket;
int buyer[kAgents * kOrders + 1];
int sold, revenue, orders, open_orders;
int wrong;

void agent(int number) {
  for (int i = 0; i < kOrders; ++i) {
    orders = orders + 1;
    const int ticket = next_ticket;
    work(4);
    next_ticket = ticket + 1;
    {
      const std::lock_guard<std::mutex> guard(lock);
      ++open_orders;
      if (buyer[ticket] != 0 && buyer[ticket] != number) wrong = 1;
      buyer[ticket] = number;
      ++sold;
      revenue += 10;
      --open_orders;
    }
    work(300);
  }
}

int main() {
  run_threads([] { agent(1); }, [] { agent(2); }, [] { agent(3); }, [] { agent(4); });
  assert(wrong == 0);
}
