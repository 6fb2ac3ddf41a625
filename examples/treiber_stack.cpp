// A pool of buffers: a lock-free stack (Treiber) of the free ones. take() reads the top and its successor and
// then swings the top. If another thread takes that buffer, takes the next one and gives the first one back
// in between, the top is what it was and the compare-exchange succeeds, with a successor that is in use: the
// ABA problem.
//
//   heddle c++ -g -O1 treiber_stack.cpp -o treiber_stack && heddle run -- ./treiber_stack
//
// treiber_stack_fixed.cpp keeps a version beside the top.
#include <array>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <thread>

class BufferPool {
 public:
  static constexpr std::uint32_t kBuffers = 3;
  static constexpr std::uint32_t kNone = kBuffers;

  BufferPool() {
    for (std::uint32_t i = 0; i < kBuffers; ++i) next_[i].store(i + 1);
  }

  // A free buffer's number, or kNone. It belongs to the caller until given back.
  std::uint32_t take() {
    std::uint32_t first = top_.load();
    while (first != kNone) {
      const std::uint32_t second = next_[first].load();
      if (top_.compare_exchange_weak(first, second)) break;
    }
    return first;
  }

  void give_back(std::uint32_t buffer) {
    std::uint32_t first = top_.load();
    do {
      next_[buffer].store(first);
    } while (!top_.compare_exchange_weak(first, buffer));
  }

 private:
  std::atomic<std::uint32_t> top_{0};
  std::array<std::atomic<std::uint32_t>, kBuffers> next_;
};

int main() {
  BufferPool pool;
  std::uint32_t kept = BufferPool::kNone;
  std::thread other([&] {
    const std::uint32_t scratch = pool.take();
    kept = pool.take();
    if (scratch != BufferPool::kNone) pool.give_back(scratch);
  });
  const std::uint32_t first = pool.take();
  const std::uint32_t second = pool.take();
  other.join();

  // Three buffers, at most three owners: nobody shares.
  assert(first != second);
  assert(kept == BufferPool::kNone || (kept != first && kept != second));
}
