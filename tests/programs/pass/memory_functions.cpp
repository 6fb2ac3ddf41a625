// memcpy, memmove, memset, strings and aggregate copies under a mutex; packed and odd-sized accesses.
#include <cassert>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

struct __attribute__((packed)) Packed {
  char tag;
  int number;
  double real;
};

struct Big {
  char bytes[200];
};

int main() {
  std::mutex mutex;
  Big big{};
  Packed packed{'a', 0, 0};
  std::string text;
  const auto work = [&](char c) {
    Big mine;
    std::memset(mine.bytes, c, sizeof mine.bytes);
    std::lock_guard lock(mutex);
    big = mine;
    std::memmove(big.bytes + 1, big.bytes, 100);
    packed.number += c;
    packed.real += 0.5;
    text.append(20, c);
  };
  std::thread first(work, 'x'), second(work, 'y');
  {
    std::lock_guard lock(mutex);
    Big copy;
    std::memcpy(&copy, &big, sizeof copy);
    assert(copy.bytes[0] == copy.bytes[199]);
  }
  first.join();
  second.join();
  assert(packed.number == 'x' + 'y' && packed.real == 1.0);
  assert(text == std::string(20, 'x') + std::string(20, 'y') ||
         text == std::string(20, 'y') + std::string(20, 'x'));
}
