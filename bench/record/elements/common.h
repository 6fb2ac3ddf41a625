// What the measured programs share: a number of rounds from the command line, and a result that is printed
// and checked by who compares runs.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

inline std::uint64_t rounds_of(int argc, char** argv, std::uint64_t by_default) {
  return argc > 1 ? std::strtoull(argv[1], nullptr, 10) : by_default;
}

inline void in_threads(unsigned count, const std::function<void(unsigned)>& work) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& t : threads) t.join();
}

struct Generator {
  std::uint64_t state;
  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
};
