// A cache with locked stripes in front of a costly function.
#include <mutex>

#include "common.h"

struct Entry {
  std::uint64_t key = ~0ull;
  std::uint64_t value = 0;
};
struct Stripe {
  std::mutex lock;
  Entry entries[256];
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
};
constexpr unsigned kStripes = 16;
Stripe stripes[kStripes];

static std::uint64_t costly(std::uint64_t key) {
  std::uint64_t h = key;
  for (int i = 0; i < 400; ++i) h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull + 7;
  return h;
}

static std::uint64_t look_up(std::uint64_t key) {
  Stripe& stripe = stripes[key % kStripes];
  const std::scoped_lock guard(stripe.lock);
  Entry& entry = stripe.entries[(key / kStripes) % 256];
  if (entry.key == key) {
    ++stripe.hits;
    return entry.value;
  }
  ++stripe.misses;
  entry.key = key;
  return entry.value = costly(key);
}

int main(int argc, char** argv) {
  const std::uint64_t rounds = rounds_of(argc, argv, 4'000'000);
  std::uint64_t sums[2] = {};
  in_threads(2, [&](unsigned id) {
    Generator g{id + 1};
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) sum += look_up(g.next() % 8192) & 0xff;
    sums[id] = sum;
  });
  std::printf("%llu\n", static_cast<unsigned long long>(sums[0] + sums[1]));
}
