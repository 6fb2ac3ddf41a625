// Cache4j, whose bug shared/object_cache.h describes. The argument is the number of rounds of updates. Other than
// in bench/cause, only two threads update, and the driver looks at the flag in every run.
#include "../shared/object_cache.h"

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 1;
  std::thread first(update, 0, rounds), second(update, 3, rounds);
  std::thread cleaner(clean);
  const bool can_interrupt = in_try_block.load();
  assert(can_interrupt || !cleaner_runs.load());
  first.join();
  second.join();
  cleaner.join();
  return 0;
}
