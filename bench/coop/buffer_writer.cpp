// BufferWriter: atomicity violation (thesis Fig. 3.3). Writers add to a buffer and count under a lock, the
// one that empties it uses none.
// Another bug than in bench/search, where the count has no lock.
#include <mutex>

#include "coop.h"

constexpr int kWriters = 4;
constexpr int kWrites = 2000;
constexpr int kResets = 60;

std::mutex lock;
int buffer[64];
int position;     // of the next free place
int count_write;  // writes since it was emptied
int count_reset;
int wrong;

void write() {
  for (int i = 0; i < kWrites; ++i) {
    const std::lock_guard<std::mutex> guard(lock);
    buffer[position % 64] = i;
    position = position + 1;
    count_write = count_write + 1;
    if (position != count_write) wrong = 1;
  }
}

void reset() {
  for (int i = 0; i < kResets; ++i) {
    work(50);
    position = 0;
    count_write = 0;
    ++count_reset;
  }
}

int main() {
  run_threads(write, write, reset, write, write);
  assert(wrong == 0);
}
