// expect: assertion failure
// A lazy singleton without a lock: both threads find nothing and both construct.
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> constructed{0};

struct Service {
  Service() { constructed.fetch_add(1); }
};

std::atomic<Service*> instance{nullptr};

Service* get() {
  if (instance.load() == nullptr) instance.store(new Service);
  return instance.load();
}

int main() {
  std::thread first([] { get(); });
  std::thread second([] { get(); });
  first.join();
  second.join();
  assert(constructed.load() == 1);
}
