#include <atomic>
std::atomic<int> x, y;
int main() {
  x.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return y.load(std::memory_order_relaxed);
}
