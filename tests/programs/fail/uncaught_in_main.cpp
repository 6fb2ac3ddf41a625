// expect: uncaught exception
// An exception leaves main, after its threads are done.
#include <atomic>
#include <stdexcept>
#include <thread>

int main() {
  std::atomic<int> winner{0};
  std::thread first([&] { winner.store(1); });
  std::thread second([&] { winner.store(2); });
  first.join();
  second.join();
  if (winner.load() == 1) throw std::logic_error("the second one should have been last");
}
