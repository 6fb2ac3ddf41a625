// expect: data race
// message: data
// message: #2 main
// The flag that publishes the data is relaxed on both sides. The threads are made in main, through a library.
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
