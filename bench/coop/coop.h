// What the programs of this folder share: time that passes between two accesses, as in the Java programs that
// they are written after, where it is the interpreter's and the scheduler's.
#pragma once

#include <cassert>
#include <thread>
#include <vector>

inline void work(unsigned steps) {
  for (unsigned i = 0; i < steps; ++i) asm volatile("pause");
}

// Starts all at once and waits for all.
template <typename... Functions>
void run_threads(Functions... functions) {
  std::vector<std::thread> threads;
  (threads.emplace_back(functions), ...);
  for (std::thread& thread : threads) thread.join();
}
