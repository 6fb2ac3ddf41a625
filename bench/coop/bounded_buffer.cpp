// BoundedBuffer: deadlock. Producers and consumers wait on one condition variable, and who changes something
// wakes one of them (notify instead of notifyAll): a producer that wakes a producer loses the wake-up.
// bench/deep has this bug in C, in the sizes of SCTBench; bench/cause has another bug.
#include <condition_variable>
#include <mutex>

#include "coop.h"

constexpr int kCapacity = 1;
constexpr int kItems = 4;  // of each producer
constexpr int kProducers = 2;

std::mutex monitor;
std::condition_variable changed;
int buffer[kCapacity];
int head, tail, count;
int produced, consumed;
int sum_in, sum_out;
int waits, wakes;
int producers_done;
int last_item;

void put(int item) {
  std::unique_lock<std::mutex> lock(monitor);
  while (count == kCapacity) {
    ++waits;
    changed.wait(lock);
  }
  buffer[tail] = item;
  tail = (tail + 1) % kCapacity;
  ++count;
  ++produced;
  sum_in += item;
  ++wakes;
  changed.notify_one();
}

void take() {
  std::unique_lock<std::mutex> lock(monitor);
  while (count == 0) {
    ++waits;
    changed.wait(lock);
  }
  last_item = buffer[head];
  head = (head + 1) % kCapacity;
  --count;
  ++consumed;
  sum_out += last_item;
  ++wakes;
  changed.notify_one();
}

void produce() {
  for (int i = 0; i < kItems; ++i) {
    put(i);
    linger(300);
  }
  std::lock_guard<std::mutex> guard(monitor);
  ++producers_done;
}

void consume() {
  for (int i = 0; i < kItems; ++i) {
    take();
    linger(300);
  }
}

int main() {
  run_threads(produce, consume, produce, consume);
  assert(producers_done == kProducers && produced == consumed && sum_in == sum_out);
}
