// Every operation of 1, 2, 4 and 8 byte atomics, from two threads.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

template <typename T>
void arithmetic() {
  std::atomic<T> sum{0}, bits{0}, last{0}, tickets{0};
  const auto work = [&](T me) {
    sum.fetch_add(3);
    sum.fetch_sub(1, std::memory_order_relaxed);
    ++sum;
    sum--;
    bits.fetch_or(static_cast<T>(1 << me), std::memory_order_acq_rel);
    bits.fetch_xor(static_cast<T>(4 << me), std::memory_order_release);
    bits.fetch_and(static_cast<T>(0x7f), std::memory_order_acquire);
    last.store(me + 1, std::memory_order_release);
    T expected = tickets.load(std::memory_order_relaxed);
    while (!tickets.compare_exchange_weak(expected, static_cast<T>(expected + 1), std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
    }
  };
  std::thread first([&] { work(0); });
  std::thread second([&] { work(1); });
  first.join();
  second.join();
  assert(sum.load() == 4);
  assert(bits.load() == 15);
  assert(tickets.load() == 2);
  const T final = last.exchange(9);
  assert(final == 1 || final == 2);
  T expected = 9;
  assert(last.compare_exchange_strong(expected, 10));
  assert(!last.compare_exchange_strong(expected, 11) && expected == 10);
}

int main() {
  arithmetic<std::uint8_t>();
  arithmetic<std::int16_t>();
  arithmetic<std::uint32_t>();
  arithmetic<std::int64_t>();

  int array[4] = {};
  std::atomic<int*> pointer{array};
  pointer += 2;
  assert(pointer.fetch_sub(1) == array + 2 && pointer.load() == array + 1);
  std::atomic<bool> flag{false};
  assert(!flag.exchange(true) && flag);
  std::atomic<double> real{0.5};
  std::thread thread([&] { real.fetch_add(0.25); });
  real.fetch_add(0.25);
  thread.join();
  assert(real.load() == 1.0);
}
