// A message that is passed without an order: a race and, before it, stale reads.
#include <atomic>
#include <thread>

int data = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread producer([] {
    data = 42;
    ready.store(true, std::memory_order_relaxed);
  });
  std::thread consumer([] {
    while (!ready.load(std::memory_order_relaxed)) std::this_thread::yield();
    if (data != 42) ready.store(false);
  });
  producer.join();
  consumer.join();
}
