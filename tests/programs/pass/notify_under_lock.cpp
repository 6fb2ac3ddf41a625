// The waiter deletes the condition variable as soon as it has seen the flag, which the other thread sets, and
// signals, under one lock.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;

int main() {
  auto* condition = new std::condition_variable;
  std::thread other([condition] {
    const std::lock_guard<std::mutex> lock(mutex);
    ready = true;
    condition->notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!ready) condition->wait(lock);
  }
  delete condition;
  other.join();
}
