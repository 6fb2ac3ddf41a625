// A key-value store after the manner of Mabain (C11Tester, Table 1): inserts go to a queue that a writer
// thread empties into the table. The bug is the one reported there: the writer is told to stop and does so at
// once, with entries left in its queue.
//   store [INSERTS]
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

class Store {
 public:
  Store() : writer_([this] { write_all(); }) {}

  void insert(std::uint64_t key, std::uint64_t value) {
    for (;;) {
      const std::size_t at = queued_.load(std::memory_order_relaxed);
      if (at - written_.load(std::memory_order_acquire) < kQueue) {
        queue_[at % kQueue] = {key, value};
        queued_.store(at + 1, std::memory_order_release);
        return;
      }
      std::this_thread::yield();
    }
  }

  void close() {
    stop_.store(true, std::memory_order_release);
    writer_.join();
  }
  std::size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return table_.size();
  }

 private:
  struct Entry {
    std::uint64_t key, value;
  };
  static constexpr std::size_t kQueue = 256;

  void write_all() {
    while (!stop_.load(std::memory_order_acquire)) {
      const std::size_t at = written_.load(std::memory_order_relaxed);
      if (at == queued_.load(std::memory_order_acquire)) {
        std::this_thread::yield();
        continue;
      }
      const Entry entry = queue_[at % kQueue];
      written_.store(at + 1, std::memory_order_release);
      const std::lock_guard<std::mutex> lock(mutex_);
      table_[entry.key] = entry.value;
    }
  }

  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> table_;
  Entry queue_[kQueue];
  std::atomic<std::size_t> queued_{0}, written_{0};
  std::atomic<bool> stop_{false};
  std::thread writer_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t inserts = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  Store store;
  for (std::uint64_t i = 0; i < inserts; ++i) store.insert(i, i * i);
  store.close();
  std::printf("%zu of %llu\n", store.size(), static_cast<unsigned long long>(inserts));
  assert(store.size() == inserts);
  return 0;
}
