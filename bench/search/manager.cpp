// Manager: users take blocks of memory for good; the manager sweeps those that nobody has taken, and marks
// them first, so that who comes later does without. Who comes between its look at the block and its mark does
// not find one.
// Another bug than in bench/coop, where a counter is read and written without a lock.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

constexpr int kUsers = 3, kWords = 6;
std::atomic<int> taken[kUsers], marked[kUsers], used[kUsers], written{0}, rescued{0};

void use(int block) {
  taken[block].store(1);
  if (marked[block].load() != 0) {
    rescued.fetch_add(1);
    return;
  }
  used[block].store(1);
  for (int i = 0; i < kWords; ++i) written.fetch_add(1);
}

void sweep() {
  for (int block = 0; block < kUsers; ++block) {
    int most = 1;
    if (taken[block].load() == 0) {
      marked[block].store(1);
      most = 0;
    }
    assert(used[block].load() <= most);
  }
}

}  // namespace

int main() {
  std::vector<std::thread> users;
  for (int i = 0; i < kUsers; ++i) users.emplace_back(use, i);
  std::thread manager(sweep);
  for (std::thread& t : users) t.join();
  manager.join();
  return rescued.load() < 0 ? 1 : 0;
}
