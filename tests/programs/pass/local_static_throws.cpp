// A static whose initialiser throws is initialised by the next caller.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

std::atomic<int> attempts{0};

int make() {
  if (attempts.fetch_add(1) == 0) throw 1;
  return 7;
}

int value() {
  static const int instance = make();
  return instance;
}

int main() {
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      try {
        assert(value() == 7);
      } catch (int) {
        failed.fetch_add(1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  assert(failed.load() == 1 && attempts.load() == 2);
}
