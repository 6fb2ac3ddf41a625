// expect: data race | heap use after free | condition variable misuse
// The waiter deletes the condition variable as soon as it has seen the flag; the other thread has not
// notified yet, or is about to have done so.
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;

int main() {
  auto* condition = new std::condition_variable;
  std::thread other([condition] {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      ready = true;
    }
    condition->notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!ready) condition->wait(lock);
  }
  delete condition;
  other.join();
}
