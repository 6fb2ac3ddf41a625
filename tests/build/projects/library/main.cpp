#include <cstdio>
#include <thread>

#include "counter.h"

int main() {
  Counter counter;
  std::thread([&] { counter.add(2); }).join();
  counter.add(3);
  std::printf("%ld %ld\n", counter.value, global_count());
}
