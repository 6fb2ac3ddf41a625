// A set of logs as bits, in the shuffled order of a search for neighbours: searches split the logs into parts
// and leave parts alone that cannot be better.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::merge {

inline std::uint64_t bit_of(std::uint64_t place) { return std::uint64_t{1} << place % 64; }

// What so few of all logs have gets no bits, so that all bits together take at most 64 × elements of a log
// bytes for each log.
inline std::size_t too_few_for_bits(std::size_t logs) { return std::max<std::size_t>(32, logs / 512); }

// A log's words that are not 0, and where they are.
struct LogPart {
  std::vector<std::uint32_t> at;
  std::vector<std::uint64_t> words;
  std::size_t size = 0;

  void take_room(std::size_t most_words) {
    at.resize(most_words);
    words.resize(most_words);
  }
  void take_all(std::size_t logs) {
    size = (logs + 63) / 64;
    for (std::size_t w = 0; w < size; ++w) {
      at[w] = static_cast<std::uint32_t>(w);
      words[w] = ~std::uint64_t{0};
    }
    if (logs % 64 != 0) words[size - 1] = bit_of(logs) - 1;
  }
  // visit(place) for each log.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::uint64_t rest = words[i]; rest != 0; rest &= rest - 1)
        visit(at[i] * std::size_t{64} + static_cast<unsigned>(std::countr_zero(rest)));
    }
  }
};

// to = from, where mask(word) has bits as well.
template <typename Mask>
void narrow(const LogPart& from, LogPart& to, Mask mask) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < from.size; ++i) {
    const std::uint64_t word = from.words[i] & mask(from.at[i]);
    to.at[size] = from.at[i];
    to.words[size] = word;
    size += word != 0 ? 1 : 0;
  }
  to.size = size;
}

}  // namespace heddle::merge
