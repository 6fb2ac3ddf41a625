// Atomics that are constructed, wiped, moved and freed: each life starts with what was written plainly.
#include <atomic>
#include <cassert>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

struct Pair {
  std::atomic<int> a{1};
  std::atomic<int> b{2};
};

union Cell {
  long number;
  std::atomic<long> shared;
  Cell() : number(7) {}
};

// Two threads store without knowing of each other; whatever came last, the new life has only its own value.
template <typename Use>
void share(std::atomic<int>& x, Use use) {
  std::thread first([&] { x.store(5, std::memory_order_relaxed); });
  std::thread second([&] { x.store(6, std::memory_order_relaxed); });
  first.join();
  second.join();
  use();
}

int main() {
  Pair pair;
  share(pair.a, [&] {
    const int now = pair.a.load(std::memory_order_relaxed);
    std::memset(static_cast<void*>(&pair), 0, sizeof pair);
    assert(pair.a.load(std::memory_order_relaxed) == 0 && pair.b.load(std::memory_order_relaxed) == 0);
    assert(now == 5 || now == 6);
  });
  share(pair.a, [&] {
    // The plain value stays the same: it must not be mistaken for nothing having happened.
    int plain;
    std::memcpy(&plain, static_cast<void*>(&pair.a), sizeof plain);
    new (&pair.a) std::atomic<int>(plain);
    assert(pair.a.load(std::memory_order_relaxed) == plain);
    assert(pair.a.load(std::memory_order_relaxed) == plain);
  });

  Cell cell;
  assert(cell.number == 7);
  new (&cell.shared) std::atomic<long>(8);
  std::thread([&] { cell.shared.fetch_add(1, std::memory_order_relaxed); }).join();
  assert(cell.shared.load(std::memory_order_relaxed) == 9);

  std::vector<std::unique_ptr<std::atomic<int>>> grown;
  for (int i = 0; i < 8; ++i) {
    auto fresh = std::make_unique<std::atomic<int>>(i);
    std::thread([&] { fresh->fetch_add(10, std::memory_order_relaxed); }).join();
    assert(fresh->load(std::memory_order_relaxed) == i + 10);
    if (i % 2 == 0) grown.push_back(std::move(fresh));
  }
  for (int i = 0; i < 4; ++i) {
    std::vector<std::atomic<int>> bigger(static_cast<std::size_t>(1) << i);
    for (auto& x : bigger) assert(x.load(std::memory_order_relaxed) == 0);
    std::thread([&] {
      for (auto& x : bigger) x.store(3, std::memory_order_relaxed);
    }).join();
  }
}
