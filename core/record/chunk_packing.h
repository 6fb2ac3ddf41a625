// How a full chunk of a path log gets smaller before it is kept: words as compiled code writes them
// (path_state.h) become bits without gaps, and bits that repeat themselves become references to what was
// before. Neither allocates or calls anybody: the recorder does it wherever the program happens to be.
#pragma once

#include <cstdint>

#include "core/record/path_state.h"

namespace heddle::record {

// --- words
// The words' bits, the oldest in the highest bit of the first byte, and a last byte: how many bits of the
// byte before it are not used. `out` has room for as many bytes as the words have, and kPackedWordsMore.
inline constexpr std::uint32_t kPackedWordsMore = 16;
struct PackedWords {
  std::uint32_t bytes = 0;
  std::uint64_t bits = 0;
};
inline PackedWords pack_words(const std::uint64_t* from, const std::uint64_t* to, unsigned char* out) {
  unsigned char* const begin = out;
  std::uint64_t current = 0;  // bits that are not whole words yet, from the highest one on
  unsigned filled = 0;
  for (; from != to; ++from) {
    const unsigned count = pending_count(*from);
    const std::uint64_t bits = *from << (63 - count) << 1;
    current |= bits >> filled;
    const std::uint64_t oldest_first = __builtin_bswap64(current);
    __builtin_memcpy(out, &oldest_first, sizeof oldest_first);
    const unsigned total = filled + count;
    const bool is_full = total >= 64;
    out += is_full ? 8 : 0;
    // (Processors do not foresee it: no branch.)
    current = is_full ? bits << 1 << (63 - filled) : current;
    filled = total % 64;
  }
  const std::uint64_t oldest_first = __builtin_bswap64(current);
  __builtin_memcpy(out, &oldest_first, sizeof oldest_first);
  const std::uint64_t bits = static_cast<std::uint64_t>(out - begin) * 8 + filled;
  const std::uint64_t bytes = (bits + 7) / 8;
  begin[bytes] = static_cast<unsigned char>(bytes * 8 - bits);
  return {static_cast<std::uint32_t>(bytes + 1), bits};
}

// --- bytes that repeat themselves
// In turns: how many bytes stand for themselves, and these; how many bytes repeat what was written, and from
// how far before. Numbers in LEB128. It ends after either. (tool/record/path_bits.h reads it.)
inline constexpr std::uint32_t kLeastRepeated = 8;
inline constexpr std::uint32_t kMostUnpacked = 1u << 16;
inline constexpr unsigned kPlaceBits = 11;

class BytePacker {
 public:
  // Bytes in `out`; 0 where that would be more than `room`, of which one part in so many of the input is
  // looked at as well: it gives up soon. REQUIRES: size <= kMostUnpacked.
  std::uint32_t pack(const unsigned char* in, std::uint32_t size, unsigned char* out, std::uint32_t room) {
    __builtin_memset(places_, 0, sizeof places_);
    const std::uint32_t part = size / room;
    std::uint32_t literals = 0;  // where they begin
    std::uint32_t used = 0;
    std::uint32_t misses = 0;
    for (std::uint32_t at = 1; at + kLeastRepeated <= size;) {
      std::uint16_t& place = places_[hash(word_at(in + at))];
      const std::uint32_t before = place;
      place = static_cast<std::uint16_t>(at);
      if (before >= at || word_at(in + before) != word_at(in + at)) {
        if (at > kSample && (used + at - literals) * part > at) return 0;
        at += 1 + (misses++ >> 5);
        continue;
      }
      misses = 0;
      const std::uint32_t length = repeated(in, before, at, size);
      if (used + (at - literals) + 3 * kMostNumber > room) return 0;
      used = put_literals(in, literals, at, out, used);
      used = put_number(length, out, used);
      used = put_number(at - before, out, used);
      at += length;
      literals = at;
    }
    if (used + (size - literals) + kMostNumber > room) return 0;
    return literals == size ? used : put_literals(in, literals, size, out, used);
  }

 private:
  static constexpr std::uint32_t kMostNumber = 3;  // bytes
  static constexpr std::uint32_t kSample = 2048;

  static std::uint64_t word_at(const unsigned char* at) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
  }
  static std::uint32_t hash(std::uint64_t word) {
    return static_cast<std::uint32_t>(word * 0x9e3779b97f4a7c15ull >> (64 - kPlaceBits));
  }
  static std::uint32_t repeated(const unsigned char* in, std::uint32_t before, std::uint32_t at,
                                std::uint32_t size) {
    std::uint32_t length = kLeastRepeated;
    while (at + length + 8 <= size) {
      const std::uint64_t different = word_at(in + before + length) ^ word_at(in + at + length);
      if (different != 0) return length + static_cast<std::uint32_t>(__builtin_ctzll(different)) / 8;
      length += 8;
    }
    while (at + length < size && in[before + length] == in[at + length]) ++length;
    return length;
  }
  static std::uint32_t put_number(std::uint32_t n, unsigned char* out, std::uint32_t used) {
    for (; n >= 0x80; n >>= 7) out[used++] = static_cast<unsigned char>(0x80 | (n & 0x7f));
    out[used++] = static_cast<unsigned char>(n);
    return used;
  }
  static std::uint32_t put_literals(const unsigned char* in, std::uint32_t from, std::uint32_t to,
                                    unsigned char* out, std::uint32_t used) {
    used = put_number(to - from, out, used);
    while (from < to) out[used++] = in[from++];
    return used;
  }

  std::uint16_t places_[1u << kPlaceBits] = {};
};

}  // namespace heddle::record
