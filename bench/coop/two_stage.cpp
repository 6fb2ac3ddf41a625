// TwoStage: atomicity violation, two-stage. One value is written under a lock, and what follows from it under
// another one later; who reads between the stages sees one without the other.
// Long, for native runs; bench/cause has it for the solver, bench/deep in C with any number of threads.
#include <mutex>

#include "coop.h"

constexpr int kRounds = 900;

std::mutex first_lock, second_lock;
int first_value, second_value;
int wrong;

void stage(int number) {
  for (int i = 0; i < kRounds; ++i) {
    {
      const std::lock_guard<std::mutex> guard(first_lock);
      first_value = i + 1;
    }
    work(5);
    {
      const std::lock_guard<std::mutex> guard(second_lock);
      second_value = first_value + 1;
    }
    work(100 + static_cast<unsigned>(number));
  }
}

void read() {
  for (int i = 0; i < kRounds; ++i) {
    int first = 0, second = 0;
    {
      const std::lock_guard<std::mutex> guard(first_lock);
      if (first_value == 0) continue;
      first = first_value;
    }
    {
      const std::lock_guard<std::mutex> guard(second_lock);
      second = second_value;
    }
    if (second <= first) wrong = 1;
    work(100);
  }
}

int main() {
  run_threads([] { stage(1); }, read, read);
  assert(wrong == 0);
}
