// expect: assertion failure
// A consumer that does not look again after waking up: another one was faster.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable available;
  std::deque<int> items;
  const auto consume = [&] {
    std::unique_lock lock(mutex);
    if (items.empty()) available.wait(lock);
    assert(!items.empty());
    items.pop_front();
  };
  std::thread first(consume), second(consume);
  for (int i = 0; i < 2; ++i) {
    std::lock_guard lock(mutex);
    items.push_back(i);
    available.notify_all();
  }
  first.join();
  second.join();
}
