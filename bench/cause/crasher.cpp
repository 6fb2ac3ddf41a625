// Crasher: an atomicity violation. Five workers use an object through a shared pointer that a sixth thread
// takes away for a moment; the test for null and the use are two steps.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

int object = 7;
std::atomic<int*> shared{&object};
std::atomic<int> uses{0};
std::atomic<int> sum{0};
std::atomic<bool> busy{false};

void use() {
  for (int i = 0; i < 8; ++i) {
    if (shared.load() == nullptr) continue;
    uses.fetch_add(1);
    int* p = shared.load();
    assert(p != nullptr);
    sum.fetch_add(*p);
  }
}

void replace() {
  for (int i = 0; i < 2; ++i) {
    busy.store(true);
    shared.store(nullptr);
    shared.store(&object);
    busy.store(false);
  }
}

}  // namespace

int main() {
  for (int i = 0; i < 4; ++i) use();  // nobody takes it away yet
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(use);
  threads.emplace_back(replace);
  for (std::thread& t : threads) t.join();
  return 0;
}
