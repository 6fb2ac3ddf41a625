// outcomes: 01, 10
// heddle::check: each execution begins with its body and ends with it; threads that it leaves running come to
// their end first. What stands behind it runs too.
#include <heddle/heddle.h>

#include <atomic>
#include <memory>
#include <thread>

int main() {
  auto before = std::make_unique<int>(7);
  heddle::check([&] {
    std::atomic<int> next{0};
    int places[2];
    std::thread first([&] { places[0] = next.fetch_add(1); });
    places[1] = next.fetch_add(1);
    first.join();
    const auto late = std::make_shared<std::atomic<int>>(0);
    std::thread([late] { late->store(1); }).detach();
    heddle_assert(places[0] + places[1] == *before - 6);
    heddle_outcome(places[0] == 0 ? "01" : "10");
  });
  return *before == 7 ? 0 : 1;
}
