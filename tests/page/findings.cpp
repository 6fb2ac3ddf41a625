// Findings of several kinds, by the name of the first argument, for the page that shows them.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

std::atomic<int> x{0}, y{0};
std::mutex first_lock, second_lock;
std::condition_variable bell;

// Both variables end with the value that was stored first: modification order is not the order of execution.
void order() {
  std::thread one([] {
    x.store(1, std::memory_order_relaxed);
    y.store(2, std::memory_order_relaxed);
  });
  std::thread two([] {
    y.store(1, std::memory_order_relaxed);
    x.store(2, std::memory_order_relaxed);
  });
  one.join();
  two.join();
  const int a = x.load(std::memory_order_relaxed);
  const int b = y.load(std::memory_order_relaxed);
  assert(!(a == 1 && b == 1));
}

void locks() {
  std::thread one([] {
    std::lock_guard a(first_lock);
    std::lock_guard b(second_lock);
  });
  std::thread two([] {
    std::lock_guard b(second_lock);
    std::lock_guard a(first_lock);
  });
  one.join();
  two.join();
}

void freed() {
  int* number = new int(1);
  std::thread one([=] {
    delete number;
    x.store(1, std::memory_order_release);
  });
  while (x.load(std::memory_order_acquire) == 0) std::this_thread::yield();
  *number = 2;
  one.join();
}

void wake_up() {
  std::thread one([] {
    std::unique_lock lock(first_lock);
    bell.wait(lock);
  });
  {
    std::lock_guard lock(first_lock);
    bell.notify_one();
  }
  one.join();
}

// As a framework for tests does it.
int test() {
  for (int i = 0; i < 30; ++i) std::printf("[ RUN      ] Queue.Keeps/%d\n", i);
  const int size = x.load();
  if (size != 2) {
    std::printf("%s:%d: Failure\nExpected equality of these values:\n  size\n    Which is: %d\n  2\n",
                __FILE__, __LINE__ - 2, size);
  }
  return 3;
}

int main(int, char** argv) {
  if (std::strcmp(argv[1], "order") == 0) order();
  if (std::strcmp(argv[1], "locks") == 0) locks();
  if (std::strcmp(argv[1], "freed") == 0) freed();
  if (std::strcmp(argv[1], "wake_up") == 0) wake_up();
  if (std::strcmp(argv[1], "test") == 0) return test();
}
