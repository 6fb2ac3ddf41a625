// case: timed_mutex
// case: recursive_timed_mutex
// case: shared_mutex
// case: shared_timed_mutex
// case: std_lock
// case: condition_variable
// case: condition_variable_timed
// case: condition_variable_any
// case: notify_all_at_thread_exit
// case: call_once
// case: call_once_throws
// case: local_static
// case: unlock_shared_before_lock
// case: lost_notify => lost wake-up: signal came before it waited
// case: recursive_static => deadlock: entered again by its own thread
// case: inversion => warning lock-order inversion: different orders
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include "cases.h"

namespace {

using namespace std::chrono_literals;
int shared = 0;
bool ready = false;

template <typename Body>
void in_two_threads(Body body) {
  std::thread other(body);
  body();
  other.join();
}

template <typename Mutex>
void try_to_add(Mutex& mutex) {
  if (mutex.try_lock()) {
    ++shared;
    mutex.unlock();
  }
  if (mutex.try_lock_for(5ms)) {
    ++shared;
    mutex.unlock();
  }
  if (mutex.try_lock_until(std::chrono::steady_clock::now() + 5ms)) {
    ++shared;
    mutex.unlock();
  }
  if (mutex.try_lock_until(std::chrono::system_clock::now() + 5ms)) {
    ++shared;
    mutex.unlock();
  }
  const std::lock_guard<Mutex> guard(mutex);
  ++shared;
}

void timed_mutex() {
  std::timed_mutex mutex;
  in_two_threads([&] { try_to_add(mutex); });
  assert(shared >= 2 && shared <= 10);
  const std::lock_guard guard(mutex);
  std::thread([&] { assert(!mutex.try_lock_for(1ms)); }).join();
}

void recursive_timed_mutex() {
  std::recursive_timed_mutex mutex;
  in_two_threads([&] {
    const std::lock_guard outer(mutex);
    assert(mutex.try_lock_for(1ms));
    const int before = shared;
    ++shared;
    assert(shared == before + 1);
    mutex.unlock();
  });
  assert(shared == 2);
}

template <typename Mutex>
void read_and_write(Mutex& mutex) {
  int other = 0;
  std::thread writer([&] {
    const std::unique_lock guard(mutex);
    ++shared;
    ++other;
  });
  std::thread reader([&] {
    const std::shared_lock guard(mutex);
    assert(shared == other);
  });
  if (mutex.try_lock_shared()) {
    assert(shared == other);
    mutex.unlock_shared();
  }
  if (mutex.try_lock()) {
    assert(shared == other);
    mutex.unlock();
  }
  writer.join();
  reader.join();
  assert(shared == 1);
}

void shared_mutex() {
  std::shared_mutex mutex;
  read_and_write(mutex);
}

void shared_timed_mutex() {
  std::shared_timed_mutex mutex;
  read_and_write(mutex);
  const std::unique_lock guard(mutex);
  std::thread([&] {
    assert(!mutex.try_lock_shared_for(1ms) && !mutex.try_lock_for(1ms));
    assert(!mutex.try_lock_shared_until(std::chrono::steady_clock::now() + 1ms));
  }).join();
}

void std_lock() {
  std::mutex a, b, c;
  std::thread other([&] {
    const std::scoped_lock guard(c, b, a);
    ++shared;
  });
  std::lock(a, b, c);
  ++shared;
  a.unlock();
  b.unlock();
  c.unlock();
  other.join();
  assert(std::try_lock(a, b) == -1);
  a.unlock();
  b.unlock();
}

void condition_variable() {
  std::mutex mutex;
  std::condition_variable condition;
  std::thread other([&] {
    const std::lock_guard guard(mutex);
    ready = true;
    condition.notify_one();
  });
  {
    std::unique_lock guard(mutex);
    condition.wait(guard, [] { return ready; });
  }
  other.join();
}

void condition_variable_timed() {
  std::mutex mutex;
  std::condition_variable condition;
  std::thread other([&] {
    const std::lock_guard guard(mutex);
    ready = true;
    condition.notify_all();
  });
  {
    std::unique_lock guard(mutex);
    assert(condition.wait_for(guard, 60s, [] { return ready; }));
    assert(!condition.wait_for(guard, 1ms, [] { return false; }));
    const auto until = std::chrono::steady_clock::now() + 1ms;
    while (condition.wait_until(guard, until) != std::cv_status::timeout) {
    }
    assert(std::chrono::steady_clock::now() >= until);
    assert(!condition.wait_until(guard, std::chrono::system_clock::now() + 1ms, [] { return false; }));
  }
  other.join();
}

void condition_variable_any() {
  std::shared_mutex mutex;
  std::condition_variable_any condition;
  std::thread other([&] {
    {
      const std::lock_guard guard(mutex);
      ready = true;
    }
    condition.notify_all();
  });
  {
    std::shared_lock guard(mutex);
    condition.wait(guard, [] { return ready; });
    assert(!condition.wait_for(guard, 1ms, [] { return false; }));
  }
  other.join();
}

void notify_all_at_thread_exit() {
  std::mutex mutex;
  std::condition_variable condition;
  std::thread other([&] {
    std::unique_lock guard(mutex);
    ready = true;
    std::notify_all_at_thread_exit(condition, std::move(guard));
  });
  {
    std::unique_lock guard(mutex);
    condition.wait(guard, [] { return ready; });
  }
  other.join();
}

std::once_flag flag;

void call_once() {
  in_two_threads([] {
    std::call_once(flag, [] { ++shared; });
    assert(shared == 1);
  });
}

void call_once_throws() {
  std::atomic<int> tries = 0, caught = 0;
  in_two_threads([&] {
    try {
      std::call_once(flag, [&] {
        if (++tries == 1) throw std::runtime_error("not this time");
        ++shared;
      });
    } catch (const std::runtime_error&) {
      ++caught;
    }
  });
  assert(tries == 2 && caught == 1 && shared == 1);
}

struct Counted {
  Counted() { ++shared; }
  int value = 5;
};

void local_static() {
  in_two_threads([] {
    static Counted counted;
    assert(counted.value == 5);
  });
  assert(shared == 1);
}

void unlock_shared_before_lock() {
  std::shared_mutex mutex;
  std::atomic<bool> has_read = false;
  int data = 1;
  std::thread reader([&] {
    mutex.lock_shared();
    assert(data == 1);
    has_read.store(true, std::memory_order_relaxed);
    mutex.unlock_shared();
  });
  while (!has_read.load(std::memory_order_relaxed)) {
  }
  mutex.lock();  // synchronises with unlock_shared
  data = 2;
  mutex.unlock();
  reader.join();
}

void lost_notify() {
  std::mutex mutex;
  std::condition_variable condition;
  std::thread other([&] {
    const std::lock_guard guard(mutex);
    condition.notify_one();
  });
  {
    std::unique_lock guard(mutex);
    condition.wait(guard);
  }
  other.join();
}

struct Recursive {
  Recursive();
};
Recursive& instance() {
  static Recursive recursive;
  return recursive;
}
Recursive::Recursive() { instance(); }

void recursive_static() {
  std::thread([] {}).join();
  instance();
}

void inversion() {
  static std::mutex a, b;
  std::atomic<bool> done = false;
  std::thread other([&] {
    {
      const std::lock_guard first(a), second(b);
    }
    done = true;
  });
  while (!done) {
  }
  {
    const std::lock_guard first(b), second(a);
  }
  other.join();
}

}  // namespace

#define CASE(name) {#name, name}
RUN_CASES(CASE(timed_mutex), CASE(recursive_timed_mutex), CASE(shared_mutex), CASE(shared_timed_mutex),
          CASE(std_lock), CASE(condition_variable), CASE(condition_variable_timed),
          CASE(condition_variable_any), CASE(notify_all_at_thread_exit), CASE(call_once),
          CASE(call_once_throws), CASE(local_static), CASE(unlock_shared_before_lock), CASE(lost_notify),
          CASE(recursive_static), CASE(inversion))
