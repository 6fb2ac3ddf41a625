// Loader: ten modules are loaded by as many threads. Who looks before all have begun takes the list for
// final, and misses the rest.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>
#include <vector>

namespace {

constexpr int kModules = 10;
std::atomic<int> slot[kModules], begun{0}, loaded{0}, checked{0};

void check() {
  int expected = 0;
  if (begun.load() != kModules) {
    checked.store(1);
    expected = kModules;
  }
  for (int i = 0; i < kModules; ++i) {
    if (slot[i].load() == 0) checked.store(i);
  }
  assert(loaded.load() >= expected);
}

void load(int module) {
  begun.fetch_add(1);
  slot[module].store(1);
  loaded.fetch_add(1);
  if (module != kModules - 1) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // all have begun by then
  check();
}

}  // namespace

int main() {
  std::vector<std::thread> loaders;
  for (int i = 0; i < kModules; ++i) loaders.emplace_back(load, i);
  for (std::thread& t : loaders) t.join();
  return checked.load() < 0 ? 1 : 0;
}
