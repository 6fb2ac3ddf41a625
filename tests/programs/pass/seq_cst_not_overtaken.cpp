// run: -s exhaustive
// Twins of fail/seq_cst_overtaken.cpp and fail/store_buffer_read_back.cpp: a release that is acquired orders S, and a
// seq_cst store is read back in S.
#include <atomic>
#include <cassert>
#include <functional>
#include <thread>

std::atomic<int> lock{0}, taken{0};
std::atomic<int> x{0}, y{0};
int missed[2];

void own() {
  int free = 0;
  lock.compare_exchange_strong(free, 1, std::memory_order_seq_cst);
  taken.store(1, std::memory_order_release);
}

void enter(std::atomic<int>& mine, std::atomic<int>& other, int me) {
  mine.store(1);
  const bool raised = mine.load() == 1;
  missed[me] = raised && other.load() == 0;
}

int main() {
  std::thread owner(own);
  const int seen = taken.load(std::memory_order_acquire);
  const int state = lock.load(std::memory_order_seq_cst);
  owner.join();
  assert(!(seen == 1 && state == 0));
  std::thread first(enter, std::ref(x), std::ref(y), 0);
  std::thread second(enter, std::ref(y), std::ref(x), 1);
  first.join();
  second.join();
  assert(!(missed[0] && missed[1]));
}
