// ProducerConsumer: data race. Consumers look whether there is something and take it, without a lock.
#include <mutex>

#include "coop.h"

constexpr int kItems = 24;

std::mutex lock;
int items[kItems];
int produced, taken, next_item;
int owner[kItems];
int twice, looked;

void produce() {
  for (int i = 0; i < kItems; ++i) {
    const std::lock_guard<std::mutex> guard(lock);
    items[i] = i + 1;
    produced = produced + 1;
  }
}

void consume(int number) {
  for (int tries = 0; tries < 400 && next_item < kItems; ++tries) {
    looked = looked + 1;
    const int mine = next_item;
    if (mine >= produced || mine >= kItems) {
      work(20);
      continue;
    }
    spin(600);
    next_item = mine + 1;
    if (owner[mine] != 0 && owner[mine] != number) twice = 1;
    owner[mine] = number;
    taken = taken + 1;
    work(60);
  }
}

int main() {
  run_threads(produce, [] { consume(1); }, [] { consume(2); });
  assert(twice == 0);
}
