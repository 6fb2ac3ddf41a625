// executions: 20
// Three hundred threads one after the other, each with fresh thread-local storage.
#include <cassert>
#include <thread>

thread_local int used = 0;

int main() {
  int total = 0;
  for (int i = 0; i < 300; ++i) {
    std::thread([&] {
      assert(used == 0);
      used = 1;
      ++total;
    }).join();
  }
  assert(total == 300 && used == 0);
}
