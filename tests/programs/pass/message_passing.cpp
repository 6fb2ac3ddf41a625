// Release and acquire make the data visible with the flag.
#include <atomic>
#include <cassert>
#include <thread>

int data = 0;
std::atomic<bool> ready{false};

int main() {
  std::thread producer([] {
    data = 42;
    ready.store(true, std::memory_order_release);
  });
  std::thread consumer([] {
    while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
    assert(data == 42);
  });
  producer.join();
  consumer.join();
}
