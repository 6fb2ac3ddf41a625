// Airline: agents sell seats. Whether the flight is full is asked before the sale, and not together with it.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kAgents = 7, kSeats = 5;
std::atomic<int> sold{0};
std::atomic<bool> stop_sales{false};

void sell() {
  if (stop_sales.load()) return;
  const int now = sold.fetch_add(1) + 1;
  if (now >= kSeats) stop_sales.store(true);
}

}  // namespace

int main() {
  std::vector<std::thread> agents;
  for (int i = 0; i < kAgents; ++i) agents.emplace_back(sell);
  for (std::thread& t : agents) t.join();
  assert(sold.load() <= kSeats);
  return 0;
}
