// expect: heap use after free | data race
// One thread frees what another still reads; sometimes the free is ordered before the read.
#include <atomic>
#include <thread>

int main() {
  auto* value = new int(7);
  std::atomic<int> turns{0};
  std::thread reader([&] {
    turns.fetch_add(1);
    if (*value != 7) turns.store(9);
  });
  if (turns.load() == 0) turns.fetch_add(1);
  delete value;
  reader.join();
}
