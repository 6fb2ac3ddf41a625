// expect: mutex misuse
// A mutex is locked by one thread and unlocked by another.
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  mutex.lock();
  std::thread thread([&] { mutex.unlock(); });
  thread.join();
}
