// BubbleSort: atomicity violation, wrong lock. Each half of the array has a lock of its own; the element at
// the border is exchanged under either.
// Another bug than in bench/search, where a pass is started too early.
#include <mutex>

#include "coop.h"

constexpr int kSize = 100;
constexpr int kMiddle = kSize / 2;

std::mutex lower_lock, upper_lock;
int values[kSize];
int lower_swaps, upper_swaps, lower_passes, upper_passes;
int lower_done, upper_done;
int sum_before, sum_after;

void sort_part(int from, int to, std::mutex& lock, int& swaps, int& passes, int& done) {
  for (int pass = 0; pass < to - from; ++pass) {
    for (int i = from; i < to; ++i) {
      const std::lock_guard<std::mutex> guard(lock);
      const int left = values[i], right = values[i + 1];
      if (left <= right) continue;
      work(i == kMiddle - 1 || i == kMiddle ? 40 : 1);
      values[i] = right;
      values[i + 1] = left;
      ++swaps;
    }
    ++passes;
  }
  done = 1;
}

int main() {
  for (int i = 0; i < kSize; ++i) {
    values[i] = kSize - i;
    sum_before += values[i];
  }
  for (int round = 0; round < 2; ++round) {
    run_threads([] { sort_part(0, kMiddle, lower_lock, lower_swaps, lower_passes, lower_done); },
                [] { sort_part(kMiddle, kSize - 1, upper_lock, upper_swaps, upper_passes, upper_done); });
  }
  for (const int value : values) sum_after += value;
  assert(sum_before == sum_after);
}
