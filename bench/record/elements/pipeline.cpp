// Two stages joined by a bounded queue: parsing and folding lines.
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>

#include "common.h"

struct Batch {
  std::uint64_t values[256];
  unsigned count = 0;
};

class Queue {
 public:
  void put(const Batch& batch) {
    std::unique_lock lock(lock_);
    not_full_.wait(lock, [&] { return used_ < kCapacity; });
    slots_[(first_ + used_++) % kCapacity] = batch;
    not_empty_.notify_one();
  }
  bool take(Batch& batch) {
    std::unique_lock lock(lock_);
    not_empty_.wait(lock, [&] { return used_ > 0 || closed_; });
    if (used_ == 0) return false;
    batch = slots_[first_];
    first_ = (first_ + 1) % kCapacity;
    --used_;
    not_full_.notify_one();
    return true;
  }
  void close() {
    const std::scoped_lock guard(lock_);
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  static constexpr unsigned kCapacity = 32;
  std::mutex lock_;
  std::condition_variable not_full_, not_empty_;
  Batch slots_[kCapacity];
  unsigned first_ = 0;
  unsigned used_ = 0;
  bool closed_ = false;
};
Queue queue;

static unsigned format(std::uint64_t n, char* text) {
  unsigned length = 0;
  for (; n != 0; n /= 10) text[length++] = static_cast<char>('0' + n % 10);
  return length;
}
static std::uint64_t parse(const char* text, unsigned length) {
  std::uint64_t n = 0;
  while (length-- > 0) n = n * 10 + static_cast<unsigned>(text[length] - '0');
  return n;
}

int main(int argc, char** argv) {
  const std::uint64_t rounds = rounds_of(argc, argv, 80'000);
  std::uint64_t made = 0;
  std::uint64_t folded = 0;
  std::thread reader([&] {
    Generator g{1};
    char text[32];
    for (std::uint64_t i = 0; i < rounds; ++i) {
      Batch batch;
      while (batch.count < 256) {
        const std::uint64_t n = parse(text, format(g.next() | 1, text));
        made += n;
        batch.values[batch.count++] = n;
      }
      queue.put(batch);
    }
    queue.close();
  });
  std::thread folder([&] {
    Batch batch;
    char text[32];
    while (queue.take(batch)) {
      for (unsigned i = 0; i < batch.count; ++i) folded += parse(text, format(batch.values[i], text));
    }
  });
  reader.join();
  folder.join();
  std::printf("%llu\n", static_cast<unsigned long long>(folded));
  return folded == made ? 0 : 1;
}
