// Sorts and searches: short loops with branches that nobody can foretell.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static long run(unsigned seed, int rounds) {
  long sum = 0;
  for (int r = 0; r < rounds; ++r) {
    std::vector<unsigned> v(200'000);
    for (unsigned& x : v) x = seed = seed * 1664525u + 1013904223u;
    std::sort(v.begin(), v.end());
    for (int i = 0; i < 100'000; ++i) {
      seed = seed * 1664525u + 1013904223u;
      sum += std::lower_bound(v.begin(), v.end(), seed) - v.begin();
    }
  }
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  long a = 0, b = 0;
  std::thread first([&] { a = run(1, rounds); });
  std::thread second([&] { b = run(2, rounds); });
  first.join();
  second.join();
  std::printf("%ld\n", a + b);
}
