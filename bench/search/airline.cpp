// Airline: agents sell the seats of one flight. Which seat is next is read, and written later.
// Other bugs: in bench/cause sales are stopped too late, in bench/deep an agent looks too early.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kAgents = 7, kSeats = 100;
std::atomic<int> next_seat{0}, sold{0};

void sell() {
  const int seat = next_seat.load();
  if (seat < kSeats) {
    next_seat.store(seat + 1);
    if (sold.fetch_add(1) >= kSeats) next_seat.store(kSeats);
  }
}

}  // namespace

int main() {
  std::vector<std::thread> agents;
  for (int i = 0; i < kAgents; ++i) agents.emplace_back(sell);
  for (std::thread& t : agents) t.join();
  assert(next_seat.load() == sold.load());
  return 0;
}
