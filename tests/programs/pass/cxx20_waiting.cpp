// flags: -std=c++20
// Everything of the C++20 library that waits, used as it is meant to be.
#include <atomic>
#include <barrier>
#include <cassert>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

int plain = 0;

void with_latch() {
  std::latch ready(2);
  std::thread t([&] {
    plain = 1;
    ready.count_down();
  });
  ready.arrive_and_wait();
  assert(plain == 1);
  t.join();
}

void with_barrier() {
  int phases = 0;
  std::barrier sync(2, [&]() noexcept { ++phases; });
  std::thread t([&] {
    sync.arrive_and_wait();
    sync.arrive_and_wait();
  });
  sync.arrive_and_wait();
  sync.arrive_and_wait();
  t.join();
  assert(phases == 2);
}

void with_semaphore() {
  std::counting_semaphore<4> items(0);
  std::thread t([&] {
    plain = 2;
    items.release();
  });
  items.acquire();
  assert(plain == 2);
  t.join();
}

void with_atomic_wait() {
  std::atomic<int> flag{0};
  std::thread t([&] {
    plain = 3;
    flag.store(1, std::memory_order_release);
    flag.notify_one();
  });
  flag.wait(0, std::memory_order_acquire);
  assert(plain == 3);
  t.join();
}

void with_future() {
  auto result = std::async(std::launch::async, [] { return 42; });
  std::promise<int> promise;
  std::thread t([&] { promise.set_value(7); });
  assert(promise.get_future().get() == 7);
  assert(result.get() == 42);
  t.join();
}

void with_shared_mutex() {
  std::shared_mutex lock;
  int value = 0;
  std::thread writer([&] {
    std::unique_lock guard(lock);
    value = 1;
  });
  std::thread reader([&] {
    std::shared_lock guard(lock);
    assert(value == 0 || value == 1);
  });
  {
    std::shared_lock guard(lock);
    assert(value == 0 || value == 1);
  }
  writer.join();
  reader.join();
}

void with_jthread() {
  std::mutex m;
  std::condition_variable_any changed;
  bool done = false;
  std::jthread t([&](std::stop_token stop) {
    std::unique_lock guard(m);
    changed.wait(guard, stop, [&] { return done; });
  });
  t.request_stop();
}

int main() {
  with_latch();
  with_barrier();
  with_semaphore();
  with_atomic_wait();
  with_future();
  with_shared_mutex();
  with_jthread();
}
