#include "tool/merge/ranking/packed_vectors.h"

#include <algorithm>

namespace heddle::merge {
namespace {

constexpr std::uint64_t kInWord = 16;       // positions
constexpr std::uint64_t kPastTheEnd = 0xf;  // instead of a thread
constexpr std::uint64_t kEachPosition = 0x1111111111111111;
constexpr std::uint64_t kTimesItsBytes = 4;               // more room a vector does not get
constexpr std::size_t kMostWords = std::size_t{1} << 27;  // of all vectors: a gigabyte

std::uint64_t words_for(std::uint64_t positions) { return (positions + kInWord - 1) / kInWord; }

}  // namespace

void PackedVectors::add(VectorIndex vector, std::string_view bytes, std::uint64_t length) {
  const std::uint64_t size = words_for(length);
  if (size * sizeof(std::uint64_t) > kTimesItsBytes * bytes.size() + sizeof(std::uint64_t)) return;
  const std::size_t begin = words_.size();
  if (begin + size > kMostWords) return;
  words_.resize(begin + size, ~std::uint64_t{0});
  VectorReader reader(bytes);
  std::uint64_t at = 0;
  for (Run run; reader.next(run);) {
    if (run.thread >= kPastTheEnd) return words_.resize(begin);
    for (const std::uint64_t end = at + run.count; at < end; ++at) {
      const unsigned shift = static_cast<unsigned>(at % kInWord) * 4;
      words_[begin + at / kInWord] ^= (kPastTheEnd ^ run.thread) << shift;
    }
  }
  packed_[vector] = {begin, length, true};
}

std::optional<std::uint64_t> PackedVectors::distance(VectorIndex a, VectorIndex b) const {
  const Packed &x = packed_[a], &y = packed_[b];
  if (!x.is_known || !y.is_known) return std::nullopt;
  const std::uint64_t both = words_for(std::min(x.length, y.length));
  const std::uint64_t longer = std::max(x.length, y.length);
  const std::uint64_t *first = &words_[x.begin], *second = &words_[y.begin];
  std::uint64_t apart = longer - std::min(longer, both * kInWord);
  for (std::uint64_t from = 0; from < both;) {
    // Four bits count up to fifteen words.
    const std::uint64_t to = std::min(both, from + 15);
    std::uint64_t counts = 0;
    for (; from < to; ++from) {
      std::uint64_t differing = first[from] ^ second[from];
      differing |= differing >> 2;
      differing |= differing >> 1;
      counts += differing & kEachPosition;
    }
    const std::uint64_t pairs = (counts & 0x0f0f0f0f0f0f0f0f) + (counts >> 4 & 0x0f0f0f0f0f0f0f0f);
    apart += pairs * 0x0101010101010101 >> 56;
  }
  return apart;
}

}  // namespace heddle::merge
