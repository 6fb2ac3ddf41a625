#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include <heddle/heddle.h>

std::atomic<int> turn{0};
std::mutex guard;
int total = 0;

int main() {
  std::thread other([] {
    const std::lock_guard<std::mutex> lock(guard);
    total += 1;
    turn.store(1, std::memory_order_release);
  });
  other.join();
  std::printf("%d %d\n", turn.load(std::memory_order_acquire), total);
}
