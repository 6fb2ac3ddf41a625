// What the programs of this folder share: threads that begin together, and time that passes between two
// accesses, as in the Java programs that they are written after, where it is the interpreter's.
#pragma once

#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

inline void work(unsigned steps) {
  for (unsigned i = 0; i < steps; ++i) asm volatile("pause");
}

// They begin together, as well as the system wakes them, and all are waited for.
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
