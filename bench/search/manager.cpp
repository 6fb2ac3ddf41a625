// Manager: blocks of memory are handed out for good; the manager sweeps what nobody uses yet. Who finds a block
// marked for sweeping does without it; who comes between the manager's look at the block and its mark does not
// find one.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kUsers = 3, kWords = 6;
std::atomic<int> marked[kUsers], freed[kUsers], uses[kUsers], written{0}, rescued{0}, kept{0};

void sweep() {
  for (int i = 0; i < kUsers; ++i) {
    if (uses[i].load() > 0) {
      kept.fetch_add(1);
      continue;
    }
    marked[i].store(1);
    freed[i].store(1);
  }
}

void use(int block) {
  uses[block].fetch_add(1);
  if (marked[block].load() != 0) {
    rescued.fetch_add(1);
    return;
  }
  for (int i = 0; i < kWords; ++i) written.fetch_add(1);
  assert(freed[block].load() == 0);
}

}  // namespace

int main() {
  std::vector<std::thread> users;
  users.emplace_back(use, 0);
  std::thread manager(sweep);
  for (int i = 1; i < kUsers; ++i) users.emplace_back(use, i);
  manager.join();
  for (std::thread& t : users) t.join();
  return rescued.load() + kept.load() < 0 ? 1 : 0;
}
