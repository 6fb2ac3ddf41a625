// An in-memory database after the manner of Silo (C11Tester, Table 1): rows with a spinlock each that is made
// of a volatile word and the compiler's old interlocked operations. Whether it is correct depends on what
// volatile accesses are taken for: with --volatile relaxed giving the lock back orders nothing, and rows
// race; with --volatile acqrel, what Silo assumes, they do not.
//   database [TRANSACTIONS]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

class SpinLock {
 public:
  void lock() {
    while (!__sync_bool_compare_and_swap(&word_, 0u, 1u)) {
      while (word_ != 0) std::this_thread::yield();
    }
  }
  void unlock() { word_ = 0; }

 private:
  volatile unsigned word_ = 0;
};

struct Row {
  SpinLock lock;
  long balance = 1000;
};

constexpr unsigned kRows = 64;
Row rows[kRows];

void transfer(unsigned from, unsigned to, long amount) {
  if (from == to) return;
  Row& first = rows[from < to ? from : to];
  Row& second = rows[from < to ? to : from];
  first.lock.lock();
  second.lock.lock();
  rows[from].balance -= amount;
  rows[to].balance += amount;
  second.lock.unlock();
  first.lock.unlock();
}

void run(unsigned seed, std::uint64_t transactions) {
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < transactions; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    transfer(state >> 33 & (kRows - 1), state >> 43 & (kRows - 1), static_cast<long>(state >> 60));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t transactions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 50'000;
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < 4; ++i) workers.emplace_back(run, i + 1, transactions / 4);
  for (std::thread& worker : workers) worker.join();
  long sum = 0;
  for (const Row& row : rows) sum += row.balance;
  std::printf("sum %ld\n", sum);
  return sum == 1000L * kRows ? 0 : 1;
}
