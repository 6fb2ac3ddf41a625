// A logger after the manner of Iris (C11Tester, Table 1): each thread that logs has a ring with one producer
// and one consumer, and a thread of its own writes the records out. The bug is one that such code has been
// seen with: the consumer takes the producer's position with a relaxed load, so that a record may be read
// before it is there.
//   logger [RECORDS]
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

struct Record {
  std::uint64_t time;
  std::uint32_t level;
  std::uint32_t message;
};

class Ring {
 public:
  bool push(const Record& record) {
    const std::size_t at = written_.load(std::memory_order_relaxed);
    if (at - taken_.load(std::memory_order_acquire) == kSize) return false;
    records_[at % kSize] = record;
    written_.store(at + 1, std::memory_order_release);
    return true;
  }
  bool pop(Record& record) {
    const std::size_t at = taken_.load(std::memory_order_relaxed);
    if (at == written_.load(std::memory_order_relaxed)) return false;
    record = records_[at % kSize];
    taken_.store(at + 1, std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::size_t kSize = 1024;
  Record records_[kSize];
  alignas(64) std::atomic<std::size_t> written_{0};
  alignas(64) std::atomic<std::size_t> taken_{0};
};

Ring ring;

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::uint64_t sum = 0;
  std::thread writer([&] {
    Record record{};
    for (std::uint64_t left = count; left != 0;) {
      if (ring.pop(record)) {
        sum += record.time + record.level;
        --left;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (std::uint64_t i = 0; i < count; ++i) {
    while (!ring.push({i, static_cast<std::uint32_t>(i % 5), 7})) std::this_thread::yield();
  }
  writer.join();
  std::printf("%llu records, sum %llu\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(sum));
  return 0;
}
