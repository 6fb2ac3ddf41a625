// TicketOrder: who finds the counter closed for a moment takes a ticket from the reserve, without looking
// whether there is one.
// Another bug than in bench/coop, where the number of the next ticket is taken in two steps.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kBuyers = 2, kTickets = 12;
std::atomic<int> tickets{2 * kTickets}, closed{0}, reserve{1}, served{0};

void refill() {
  for (int i = 0; i < kTickets; ++i) {
    if (tickets.load() > 0) served.fetch_add(1);
    closed.store(1);
    reserve.store(0);
    tickets.fetch_add(1);
    reserve.store(1);
    closed.store(0);
  }
}

void buy() {
  for (int i = 0; i < kTickets; ++i) {
    int needed = 0;
    if (tickets.load() <= 0) continue;
    if (closed.load() != 0) {
      served.store(i);
      needed = 1;
    }
    assert(reserve.load() >= needed);
    tickets.fetch_sub(1);
  }
}

}  // namespace

int main() {
  std::thread office(refill);
  std::vector<std::thread> buyers;
  for (int i = 0; i < kBuyers; ++i) buyers.emplace_back(buy);
  office.join();
  for (std::thread& t : buyers) t.join();
  return served.load() < 0 ? 1 : 0;
}
