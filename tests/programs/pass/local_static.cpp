// A function-local static is constructed once, before anybody uses it.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>
#include <vector>

std::atomic<int> constructed{0};

struct Config {
  Config() : name("config") { constructed.fetch_add(1, std::memory_order_relaxed); }
  std::string name;
};

const Config& config() {
  static const Config instance;
  return instance;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([] { assert(config().name == "config"); });
  for (auto& thread : threads) thread.join();
  assert(constructed.load() == 1);
}
