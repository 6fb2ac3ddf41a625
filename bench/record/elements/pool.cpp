// A pool of threads that runs tasks from one queue, and a client that waits for their futures: counts primes
// in intervals.
#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>

#include "common.h"

class Pool {
 public:
  explicit Pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::scoped_lock guard(lock_);
      closing_ = true;
    }
    filled_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  std::future<unsigned> submit(std::function<unsigned()> function) {
    std::packaged_task<unsigned()> task(std::move(function));
    std::future<unsigned> result = task.get_future();
    {
      const std::scoped_lock guard(lock_);
      tasks_.push_back(std::move(task));
    }
    filled_.notify_one();
    return result;
  }
  std::uint64_t done() {
    const std::scoped_lock guard(lock_);
    return done_;
  }

 private:
  void work() {
    std::unique_lock lock(lock_);
    for (;;) {
      filled_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::packaged_task<unsigned()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
      ++done_;
    }
  }

  std::mutex lock_;
  std::condition_variable filled_;
  std::deque<std::packaged_task<unsigned()>> tasks_;
  std::vector<std::thread> workers_;
  std::uint64_t done_ = 0;
  bool closing_ = false;
};

static bool is_prime(std::uint64_t n) {
  for (std::uint64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

int main(int argc, char** argv) {
  const std::uint64_t rounds = rounds_of(argc, argv, 30'000);
  std::uint64_t primes = 0;
  Pool pool(2);
  // A window of tasks at a time.
  std::deque<std::future<unsigned>> window;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    window.push_back(pool.submit([i] {
      unsigned count = 0;
      for (std::uint64_t n = i * 256; n < (i + 1) * 256; ++n) count += is_prime(n) ? 1 : 0;
      return count;
    }));
    if (window.size() == 64) {
      primes += window.front().get();
      window.pop_front();
    }
  }
  for (std::future<unsigned>& left : window) primes += left.get();
  std::printf("%llu\n", static_cast<unsigned long long>(primes));
  return pool.done() <= rounds ? 0 : 1;
}
