// case: wait_8
// case: wait_16
// case: wait_32
// case: wait_64
// case: wait_pointer
// case: wait_enumeration
// case: flag
// case: reference
// case: free_functions
// case: counting_semaphore
// case: binary_semaphore_timed
// case: latch
// case: barrier
// case: barrier_drop
// case: fences
#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <memory>
#include <semaphore>
#include <thread>

#include "cases.h"

namespace {

using namespace std::chrono_literals;

template <typename T>
void wait_for_value(T before, T after) {
  static std::atomic<T> atomic;
  atomic.store(before);
  int data = 0;
  std::thread other([&] {
    data = 1;
    atomic.store(after, std::memory_order_release);
    atomic.notify_one();
  });
  // (Whoever is woken passes it on: notify_one wakes one of two.)
  std::thread third([&] {
    atomic.wait(before);
    atomic.notify_all();
  });
  atomic.wait(before, std::memory_order_acquire);
  assert(atomic.load(std::memory_order_acquire) == after);
  assert(data == 1);
  atomic.notify_all();
  other.join();
  third.join();
}

void wait_8() { wait_for_value<signed char>(0, 1); }
void wait_16() { wait_for_value<short>(0, 1); }
void wait_32() { wait_for_value<int>(0, 1); }
void wait_64() { wait_for_value<long>(0, 1); }
void wait_pointer() {
  static int target;
  wait_for_value<int*>(nullptr, &target);
}
enum class Colour : unsigned char { kRed, kBlue };
void wait_enumeration() { wait_for_value(Colour::kRed, Colour::kBlue); }

void flag() {
  std::atomic_flag locked = ATOMIC_FLAG_INIT;
  int data = 0;
  const auto add = [&] {
    while (locked.test_and_set(std::memory_order_acquire)) locked.wait(true, std::memory_order_relaxed);
    ++data;
    locked.clear(std::memory_order_release);
    locked.notify_one();
  };
  std::thread other(add);
  add();
  other.join();
  assert(data == 2 && !locked.test());
}

void reference() {
  alignas(std::atomic_ref<int>::required_alignment) int value = 0;
  const auto add = [&] { std::atomic_ref<int>(value).fetch_add(1); };
  std::thread other(add);
  add();
  other.join();
  assert(value == 2);
}

void free_functions() {
  auto pointer = std::make_shared<int>(1);
  std::thread other([&] { std::atomic_store(&pointer, std::make_shared<int>(2)); });
  const std::shared_ptr<int> seen = std::atomic_load(&pointer);
  assert(*seen == 1 || *seen == 2);
  other.join();
  assert(*pointer == 2);
}

void counting_semaphore() {
  std::counting_semaphore<4> semaphore(0);
  int data = 0;
  std::thread other([&] {
    data = 1;
    semaphore.release(2);
  });
  semaphore.acquire();
  assert(data == 1);
  while (!semaphore.try_acquire()) {
  }
  other.join();
  assert(!semaphore.try_acquire());
}

void binary_semaphore_timed() {
  std::binary_semaphore semaphore(0);
  std::thread other([&] { semaphore.release(); });
  if (!semaphore.try_acquire_for(1ms)) semaphore.acquire();
  other.join();
  assert(!semaphore.try_acquire_until(std::chrono::steady_clock::now() + 1ms));
}

void latch() {
  std::latch latch(2);
  int data = 0;
  std::thread other([&] {
    data = 1;
    latch.count_down();
  });
  latch.arrive_and_wait();
  assert(data == 1 && latch.try_wait());
  other.join();
}

void barrier() {
  int completed = 0, parts[2] = {0, 0};
  const auto complete = [&]() noexcept {
    ++completed;
    assert(parts[0] == completed && parts[1] == completed);
  };
  std::barrier barrier(2, complete);
  std::thread other([&] {
    parts[1] = 1;
    barrier.arrive_and_wait();
    parts[1] = 2;
    barrier.arrive_and_wait();
  });
  parts[0] = 1;
  barrier.wait(barrier.arrive());
  assert(completed == 1);
  parts[0] = 2;
  barrier.arrive_and_wait();
  other.join();
  assert(completed == 2);
}

void barrier_drop() {
  std::barrier<> barrier(2);
  std::thread other([&] { barrier.arrive_and_drop(); });
  barrier.arrive_and_wait();
  barrier.arrive_and_wait();
  other.join();
}

void fences() {
  std::atomic<bool> published = false;
  int data = 0;
  std::thread other([&] {
    data = 1;
    std::atomic_thread_fence(std::memory_order_release);
    published.store(true, std::memory_order_relaxed);
  });
  while (!published.load(std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  assert(data == 1);
  other.join();
}

}  // namespace

#define CASE(name) {#name, name}
RUN_CASES(CASE(wait_8), CASE(wait_16), CASE(wait_32), CASE(wait_64), CASE(wait_pointer),
          CASE(wait_enumeration), CASE(flag), CASE(reference), CASE(free_functions), CASE(counting_semaphore),
          CASE(binary_semaphore_timed), CASE(latch), CASE(barrier), CASE(barrier_drop), CASE(fences))
