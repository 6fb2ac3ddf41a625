// The buffer pool of treiber_stack.cpp, mended: a version changes with the top, so that a top that went and
// came back is another one.
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
    Top first = top_.load();
    while (first.buffer != kNone) {
      const std::uint32_t second = next_[first.buffer].load();
      if (top_.compare_exchange_weak(first, Top{second, first.version + 1})) break;
    }
    return first.buffer;
  }

  void give_back(std::uint32_t buffer) {
    Top first = top_.load();
    do {
      next_[buffer].store(first.buffer);
    } while (!top_.compare_exchange_weak(first, Top{buffer, first.version + 1}));
  }

 private:
  struct Top {
    std::uint32_t buffer, version;
  };

  std::atomic<Top> top_{Top{0, 0}};
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
