// expect: deadlock | mutex misuse
// A method under the lock calls another one that takes it.
#include <mutex>
#include <thread>

class Cache {
 public:
  void clear() {
    std::lock_guard lock(mutex_);
    size_ = 0;
  }
  void put() {
    std::lock_guard lock(mutex_);
    if (++size_ > 1) clear();
  }

 private:
  std::mutex mutex_;
  int size_ = 0;
};

int main() {
  Cache cache;
  std::thread thread([&] { cache.put(); });
  cache.put();
  thread.join();
}
