// Manager: blocks of memory are handed out and taken back; the manager sweeps what nobody uses. Who finds a
// block marked for sweeping takes the mark off, but the sweep is under way.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kUsers = 3, kRounds = 6;
std::atomic<int> marked[kUsers], freed[kUsers], uses[kUsers], rescued{0};

void sweep() {
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kUsers; ++i) {
      if (uses[i].load() > 0) continue;
      marked[i].store(1);
      freed[i].store(1);
      freed[i].store(0);
      marked[i].store(0);
    }
  }
}

void use(int block) {
  for (int round = 0; round < kRounds; ++round) {
    uses[block].fetch_add(1);
    int may_be_free = 1;
    if (marked[block].load() != 0) {
      rescued.store(block);
      may_be_free = 0;
    }
    assert(freed[block].load() <= may_be_free);
    uses[block].fetch_sub(1);
  }
}

}  // namespace

int main() {
  std::thread manager(sweep);
  std::vector<std::thread> users;
  for (int i = 0; i < kUsers; ++i) users.emplace_back(use, i);
  manager.join();
  for (std::thread& t : users) t.join();
  return rescued.load() < 0 ? 1 : 0;
}
