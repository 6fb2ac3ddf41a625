#include "counter.h"

#include <atomic>

static std::atomic<long> count{0};

void Counter::add(long n) {
  value += n;
  count.fetch_add(1);
}
long global_count() { return count.load(); }
