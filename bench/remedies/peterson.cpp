// Peterson's lock for two threads: say that you want to enter, give way, and wait while the other one wants
// to and it is its turn. The first of these is only a release store, which the other one may see too late.
#include <atomic>
#include <cassert>
#include <thread>

#ifdef FIXED
constexpr std::memory_order kWant = std::memory_order_seq_cst;
#else
constexpr std::memory_order kWant = std::memory_order_release;
#endif

class TwoThreadLock {
 public:
  void lock(int me) {
    const int other = 1 - me;
    wants_[me].store(true, kWant);
    turn_.store(other, std::memory_order_seq_cst);
    while (wants_[other].load(std::memory_order_seq_cst) && turn_.load(std::memory_order_seq_cst) == other) {
      std::this_thread::yield();
    }
  }

  void unlock(int me) { wants_[me].store(false, std::memory_order_release); }

 private:
  std::atomic<bool> wants_[2] = {false, false};
  std::atomic<int> turn_{0};
};

// A level that a filler raises and a drain lowers, and that has its limits.
class Tank {
 public:
  void fill() {
    lock_.lock(0);
    if (level_ < kFull) {
      ++level_;
      ++changes_;
    }
    lock_.unlock(0);
  }

  void drain() {
    lock_.lock(1);
    if (level_ > 0) {
      --level_;
      ++changes_;
    }
    lock_.unlock(1);
  }

  int level() const { return level_; }
  int changes() const { return changes_; }

 private:
  static constexpr int kFull = 4;
  TwoThreadLock lock_;
  int level_ = 2;
  int changes_ = 0;
};

int main() {
  Tank tank;
  std::thread filler([&tank] { tank.fill(); });
  std::thread drain([&tank] { tank.drain(); });
  filler.join();
  drain.join();
  assert(tank.level() == 2);
  assert(tank.changes() == 2);
}
