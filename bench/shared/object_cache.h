// Cache4j: an object cache whose cleaner is interrupted by the driver. Whether the cleaner can be interrupted
// right now is a flag that is set after the cleaner has begun, and not before. The programs of bench/cause and
// bench/search share all but the driver.
#pragma once

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

constexpr int kEntries = 4;
std::mutex lock;
int keys[kEntries], values[kEntries];
int size, hits;
std::atomic<bool> in_try_block{false};
std::atomic<bool> cleaner_runs{false};

void put(int key, int value) {
  std::lock_guard<std::mutex> guard(lock);
  for (int i = 0; i < size; ++i) {
    if (keys[i] == key) {
      values[i] = value;
      return;
    }
  }
  if (size == kEntries) size = 0;
  keys[size] = key;
  values[size++] = value;
}

int get(int key) {
  std::lock_guard<std::mutex> guard(lock);
  for (int i = 0; i < size; ++i) {
    if (keys[i] != key) continue;
    hits++;
    return values[i];
  }
  return -1;
}

void clean() {
  cleaner_runs.store(true);
  in_try_block.store(true);
  std::lock_guard<std::mutex> guard(lock);
  size = 0;
}

void update(int first, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < 6; ++i) {
      put(first + i, i);
      get(first + i);
    }
  }
}

}  // namespace
