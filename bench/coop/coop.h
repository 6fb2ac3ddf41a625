// What the programs of this folder share: threads that begin together, and time that passes between two
// accesses, as in the Java programs that they are written after, where it is the interpreter's.
#pragma once

#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

// Nothing of shared memory is kept in registers meanwhile.
inline void spin(unsigned steps) {
  for (unsigned i = 0; i < steps; ++i) asm volatile("pause" ::: "memory");
}

// Long work is a sleep, so that others get a processor.
inline void work(unsigned steps) {
  if (steps >= 60) return std::this_thread::sleep_for(std::chrono::microseconds(steps));
  spin(steps);
}

// Sleeps for a while that is another one in each run.
inline void linger(unsigned most_microseconds) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  std::this_thread::sleep_for(
      std::chrono::microseconds(static_cast<unsigned>(now) / 7 % (most_microseconds + 1)));
}

// Runs functions in threads that begin together, as well as the system wakes them, and waits for all.
template <typename... Functions>
void run_threads(Functions... functions) {
  const auto start = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  std::vector<std::thread> threads;
  (threads.emplace_back([start, functions] {
    std::this_thread::sleep_until(start);
    functions();
  }),
   ...);
  for (std::thread& thread : threads) thread.join();
}
