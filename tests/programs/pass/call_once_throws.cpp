// An attempt of call_once that throws does not count: another caller tries again.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

int main() {
  std::once_flag once;
  int attempts = 0, done = 0, caught[3] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      try {
        std::call_once(once, [&] {
          if (++attempts == 1) throw std::runtime_error("not yet");
          ++done;
        });
      } catch (const std::runtime_error&) {
        caught[i] = 1;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  assert(attempts == 2 && done == 1);
  assert(caught[0] + caught[1] + caught[2] == 1);
}
