// Timed waits: nobody signals the first, so it has to expire; the second may end either way.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  {
    std::unique_lock lock(mutex);
    const auto start = std::chrono::steady_clock::now();
    assert(!condition.wait_for(lock, 50ms, [&] { return ready; }));
    assert(std::chrono::steady_clock::now() - start >= 50ms);
    assert(lock.owns_lock());
  }
  std::thread thread([&] {
    std::lock_guard lock(mutex);
    ready = true;
    condition.notify_one();
  });
  {
    std::unique_lock lock(mutex);
    const bool seen =
        condition.wait_until(lock, std::chrono::system_clock::now() + 20ms, [&] { return ready; });
    assert(seen == ready);
  }
  thread.join();
}
