// expect: assertion failure
// run: -s exhaustive
// message: overtakes 1 seq_cst operation in S
// The flag is a relaxed store after a seq_cst update. Reading it orders nothing, so a seq_cst load may come before the
// update in the total order S: the lock seems free to who has read that it was taken.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> lock{0}, taken{0};

int main() {
  std::thread owner([] {
    int free = 0;
    lock.compare_exchange_strong(free, 1, std::memory_order_seq_cst);
    taken.store(1, std::memory_order_relaxed);
  });
  const int seen = taken.load(std::memory_order_relaxed);
  const int state = lock.load(std::memory_order_seq_cst);
  owner.join();
  assert(!(seen == 1 && state == 0));
}
