// flags: -mcx16
// A pointer with a version, 16 bytes wide, is never seen torn.
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

struct alignas(16) Versioned {
  std::uint64_t value;
  std::uint64_t version;
};

int main() {
  std::atomic<Versioned> shared{Versioned{0, 0}};
  const auto bump = [&] {
    for (int i = 0; i < 2; ++i) {
      Versioned old = shared.load();
      while (!shared.compare_exchange_weak(old, Versioned{old.value + 10, old.version + 1})) {
      }
    }
  };
  std::thread first(bump), second(bump);
  const Versioned seen = shared.load();
  assert(seen.value == seen.version * 10);
  first.join();
  second.join();
  const Versioned last = shared.exchange(Versioned{1, 1});
  assert(last.value == 40 && last.version == 4);
  shared.store(Versioned{2, 3});
  assert(shared.load().version == 3);

  __int128 wide = 0;
  std::thread adder([&] { __atomic_fetch_add(&wide, static_cast<__int128>(1) << 64, __ATOMIC_SEQ_CST); });
  __atomic_fetch_add(&wide, static_cast<__int128>(1), __ATOMIC_SEQ_CST);
  adder.join();
  assert(__atomic_load_n(&wide, __ATOMIC_SEQ_CST) == ((static_cast<__int128>(1) << 64) | 1));
}
