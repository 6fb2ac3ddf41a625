// A registry of codecs that only grows: plugins enter themselves under a mutex, and the number of entries tells readers,
// who take no lock, how many they may look at. The reader's load of the number is too weak for that.
#include <array>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#ifdef CORRECT
constexpr std::memory_order kLookAtCount = std::memory_order_acquire;
#else
constexpr std::memory_order kLookAtCount = std::memory_order_relaxed;
#endif

using Decode = int (*)(int);

struct Codec {
  int type = 0;
  Decode decode = nullptr;
};

class CodecRegistry {
 public:
  // False if there is no room or the type is known.
  bool add(int type, Decode decode) {
    std::lock_guard<std::mutex> lock(adding_);
    const std::size_t count = count_.load(std::memory_order_relaxed);
    if (count == codecs_.size()) return false;
    for (std::size_t index = 0; index < count; ++index) {
      if (codecs_[index].type == type) return false;
    }
    codecs_[count].type = type;
    codecs_[count].decode = decode;
    count_.store(count + 1, std::memory_order_release);
    return true;
  }

  // The codec of a type, or none.
  const Codec* find(int type) const {
    const std::size_t count = count_.load(kLookAtCount);
    for (std::size_t index = 0; index < count; ++index) {
      if (codecs_[index].type == type) return &codecs_[index];
    }
    return nullptr;
  }

 private:
  std::mutex adding_;
  std::atomic<std::size_t> count_{0};
  std::array<Codec, 4> codecs_;
};

int decode_plain(int value) { return value; }
int decode_shifted(int value) { return value >> 1; }

// What a reader has made of its packets.
struct Outcome {
  int decoded = 0;
  int unknown = 0;
};

Outcome decode_packets(const CodecRegistry& registry, const std::vector<int>& types) {
  Outcome outcome;
  for (const int type : types) {
    const Codec* const codec = registry.find(type);
    if (codec == nullptr) {
      ++outcome.unknown;
      continue;
    }
    const int value = codec->decode(84);
    assert(value == (type == 1 ? 84 : 42));
    (void)value;
    ++outcome.decoded;
  }
  return outcome;
}

int main() {
  CodecRegistry registry;
  registry.add(1, decode_plain);

  std::array<Outcome, 2> outcomes;
  std::thread first([&] { outcomes[0] = decode_packets(registry, {2, 1}); });
  std::thread second([&] { outcomes[1] = decode_packets(registry, {1, 2}); });
  const bool added = registry.add(2, decode_shifted);
  assert(added);
  (void)added;
  const bool again = registry.add(2, decode_plain);
  assert(!again);
  (void)again;
  first.join();
  second.join();

  for (const Outcome& outcome : outcomes) {
    assert(outcome.decoded >= 1);
    assert(outcome.decoded + outcome.unknown == 2);
  }
}
