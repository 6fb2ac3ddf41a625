// Airline: agents sell seats while the flight is not known to be full. Who sells the last seat says so, and
// the one who sends out agents asks before each of them; those that are on their way already sell all the
// same. A sale is a read and a write, as `sold++` is in the original.
// Other bugs: in bench/search a seat is read and written later, in bench/deep an agent looks too early.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kAgents = 7, kSeats = 5;
std::atomic<int> sold{0};
std::atomic<bool> stop_sales{false};

void sell() {
  sold.store(sold.load() + 1);
  if (sold.load() >= kSeats) stop_sales.store(true);
}

}  // namespace

int main() {
  std::vector<std::thread> agents;
  for (int i = 0; i < kAgents && !stop_sales.load(); ++i) agents.emplace_back(sell);
  for (std::thread& t : agents) t.join();
  assert(sold.load() <= kSeats);
  return 0;
}
