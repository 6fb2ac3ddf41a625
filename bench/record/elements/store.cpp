// A key-value store in shards, each behind a reader-writer lock: mostly reads, of values that are checked;
// each thread writes keys of its own.
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "common.h"

struct Value {
  std::uint64_t words[8];
};

struct Shard {
  std::shared_mutex lock;
  std::unordered_map<std::uint64_t, Value> values;
  std::uint64_t puts = 0;
};
constexpr unsigned kShards = 32;
Shard shards[kShards];

static Shard& shard_of(std::uint64_t key) { return shards[key * 0x9e3779b97f4a7c15ull >> 59]; }

static Value make_value(std::uint64_t key, std::uint64_t version) {
  Generator g{key * 31 + version + 1};
  Value value;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < 7; ++i) sum += value.words[i] = g.next();
  value.words[7] = sum;
  return value;
}

static bool is_whole(const Value& value) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < 7; ++i) sum += value.words[i];
  return sum == value.words[7];
}

static void put(std::uint64_t key, std::uint64_t version) {
  const Value value = make_value(key, version);
  Shard& shard = shard_of(key);
  const std::unique_lock guard(shard.lock);
  shard.values[key] = value;
  ++shard.puts;
}

static bool get(std::uint64_t key, Value& value) {
  Shard& shard = shard_of(key);
  const std::shared_lock guard(shard.lock);
  const auto found = shard.values.find(key);
  if (found == shard.values.end()) return false;
  value = found->second;
  return true;
}

// What a client does with a value: a checksum of it.
static std::uint64_t digest(const Value& value) {
  std::uint64_t h = 0;
  for (unsigned round = 0; round < 16; ++round) {
    for (const std::uint64_t word : value.words) h = (h ^ word ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
  }
  return h;
}

int main(int argc, char** argv) {
  const std::uint64_t rounds = rounds_of(argc, argv, 2'500'000);
  std::uint64_t broken[2] = {};
  std::uint64_t digests[2] = {};
  in_threads(2, [&](unsigned id) {
    Generator g{id + 11};
    std::uint64_t bad = 0;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      const std::uint64_t chance = g.next();
      if (chance % 16 == 0) {
        put((chance >> 8) % 8192 * 2 + id, i);
      } else if (Value value; get((chance >> 8) % 16384, value)) {
        bad += is_whole(value) ? 0 : 1;
        sum += digest(value) & 1;
      }
    }
    broken[id] = bad;
    digests[id] = sum;
  });
  std::uint64_t puts = 0;
  std::size_t keys = 0;
  for (const Shard& shard : shards) {
    puts += shard.puts;
    keys += shard.values.size();
  }
  std::printf("%llu puts, %zu keys\n", static_cast<unsigned long long>(puts), keys);
  return broken[0] + broken[1] == 0 && digests[0] + digests[1] <= 2 * rounds ? 0 : 1;
}
