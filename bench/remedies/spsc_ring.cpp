// Samples from a device thread to a mixer, in blocks, through a ring for one writer and one reader. The mixer
// looks for the writer's position with a relaxed load: it knows that samples are there, and may still read
// what was in the ring before them.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>

#ifdef FIXED
constexpr std::memory_order kLook = std::memory_order_acquire;
#else
constexpr std::memory_order kLook = std::memory_order_relaxed;
#endif

struct Sample {
  int left = 0, right = 0;
};

template <std::size_t Size>
class SampleRing {
 public:
  // By the device: as many as there is room for.
  std::size_t write(const Sample* from, std::size_t count) {
    const std::size_t end = written_.load(std::memory_order_relaxed);
    const std::size_t room = Size - (end - read_.load(std::memory_order_acquire));
    if (count > room) count = room;
    for (std::size_t i = 0; i < count; ++i) samples_[(end + i) % Size] = from[i];
    written_.store(end + count, std::memory_order_release);
    return count;
  }

  // By the mixer: as many as there are.
  std::size_t read(Sample* to, std::size_t count) {
    const std::size_t begin = read_.load(std::memory_order_relaxed);
    const std::size_t there = written_.load(kLook) - begin;
    if (count > there) count = there;
    for (std::size_t i = 0; i < count; ++i) to[i] = samples_[(begin + i) % Size];
    read_.store(begin + count, std::memory_order_release);
    return count;
  }

 private:
  std::array<Sample, Size> samples_{};
  std::atomic<std::size_t> written_{0}, read_{0};
};

namespace {

constexpr int kBlocks = 2;
SampleRing<4> ring;

void device() {
  for (int block = 0; block < kBlocks; ++block) {
    const Sample samples[2] = {{2 * block + 1, -(2 * block + 1)}, {2 * block + 2, -(2 * block + 2)}};
    for (std::size_t done = 0; done < 2;) {
      done += ring.write(samples + done, 2 - done);
      if (done < 2) std::this_thread::yield();
    }
  }
}

}  // namespace

int main() {
  std::thread source(device);
  int next = 1;
  while (next <= 2 * kBlocks) {
    Sample block[2];
    const std::size_t count = ring.read(block, 2);
    for (std::size_t i = 0; i < count; ++i, ++next) {
      assert(block[i].left == next);
      assert(block[i].right == -next);
    }
    if (count == 0) std::this_thread::yield();
  }
  source.join();
}
