// thread_local objects: one for each thread that uses it, destroyed when that thread ends.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

std::atomic<int> alive{0}, made{0};

struct Buffer {
  Buffer() : text("empty") {
    alive.fetch_add(1);
    made.fetch_add(1);
  }
  ~Buffer() { alive.fetch_sub(1); }
  std::string text;
};

thread_local Buffer buffer;
thread_local int plain = 5;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([i] {
      assert(buffer.text == "empty" && plain == 5);
      buffer.text = std::to_string(i) + " is a text too long for the small-string buffer";
      plain = i;
      std::this_thread::yield();
      assert(buffer.text.substr(0, 1) == std::to_string(i) && plain == i);
    });
  }
  for (auto& thread : threads) thread.join();
  assert(made.load() == 3 && alive.load() == 0);
  assert(buffer.text == "empty" && plain == 5);
  assert(made.load() == 4 && alive.load() == 1);
}
