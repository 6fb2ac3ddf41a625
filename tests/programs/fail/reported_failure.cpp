// expect: reported failure
// message: two leaders
// The program says itself what went wrong.
#include <heddle/heddle.h>

#include <atomic>
#include <thread>

int main() {
  std::atomic<int> leaders{0};
  std::atomic<bool> elected{false};
  const auto run_for_office = [&] {
    if (elected.load()) return;
    elected.store(true);
    if (leaders.fetch_add(1) == 1) heddle_fail("two leaders");
  };
  std::thread first(run_for_office), second(run_for_office);
  first.join();
  second.join();
}
