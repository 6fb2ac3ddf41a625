// call_once runs its function once, and everybody sees what it did.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::once_flag once;
  int calls = 0, value = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      std::call_once(once, [&] {
        ++calls;
        value = 42;
      });
      assert(value == 42);
    });
  }
  for (auto& thread : threads) thread.join();
  assert(calls == 1);
}
