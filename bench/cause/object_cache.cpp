// Cache4j, whose bug shared/object_cache.h describes. The argument is the number of rounds of updates. Other than
// in bench/search, the driver updates, too, and looks at the flag only where the cleaner runs.
#include "../shared/object_cache.h"

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 1;
  std::thread first(update, 0, rounds - 1), second(update, 3, rounds - 1);
  std::thread cleaner(clean);
  update(0, rounds);
  if (cleaner_runs.load()) assert(in_try_block.load());
  first.join();
  second.join();
  cleaner.join();
  return 0;
}
