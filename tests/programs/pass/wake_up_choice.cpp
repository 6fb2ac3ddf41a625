// outcomes: first, second
// notify_one may wake either of two waiters.
#include <heddle/heddle.h>

#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable condition;
  int waiting = 0, tokens = 0;
  const char* winner = nullptr;
  const auto wait = [&](const char* name) {
    std::unique_lock lock(mutex);
    ++waiting;
    condition.wait(lock, [&] { return tokens > 0; });
    --tokens;
    if (winner == nullptr) winner = name;
  };
  std::thread first(wait, "first"), second(wait, "second");
  for (int given = 0; given < 2;) {
    std::lock_guard lock(mutex);
    if (waiting < 2) continue;
    ++tokens;
    ++given;
    condition.notify_one();
  }
  first.join();
  second.join();
  heddle_outcome(winner);
}
