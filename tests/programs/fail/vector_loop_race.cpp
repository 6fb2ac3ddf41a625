// expect: data race
// flags: -O2
// message: Location is global 'pairs' of size 512
// One thread sums up pairs while another writes one. Vectorised, the loop would read 32 bytes at a time.
#include <thread>

struct Pair {
  int first, second;
};
Pair pairs[64];
int total;

__attribute__((noinline)) int sum(const Pair* from, int count) {
  int result = 0;
  for (int i = 0; i < count; ++i) result += from[i].first - 3 * from[i].second;
  return result;
}

int main() {
  std::thread writer([] { pairs[40].second = 1; });
  total = sum(pairs, 64);
  writer.join();
}
