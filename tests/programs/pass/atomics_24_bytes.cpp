// Atomics too wide for an instruction go through libatomic's general entry points.
#include <atomic>
#include <cassert>
#include <thread>

struct Triple {
  long a, b, c;
};

int main() {
  std::atomic<Triple> shared{Triple{0, 0, 0}};
  const auto bump = [&] {
    Triple old = shared.load();
    while (!shared.compare_exchange_strong(old, Triple{old.a + 1, old.b + 1, old.c + 1})) {
    }
  };
  std::thread first(bump), second(bump);
  const Triple seen = shared.load();
  assert(seen.a == seen.b && seen.b == seen.c);
  first.join();
  second.join();
  assert(shared.exchange(Triple{7, 7, 7}).c == 2);
  shared.store(Triple{8, 8, 8});
  assert(shared.load().b == 8);
}
