// The private copies of freestanding.h. `rep movsb` and `rep stosb` are microcoded and fast for blocks, but
// take tens of cycles to begin: small sizes go by words, the last of which may overlap the one before. Small
// fixed sizes are expanded inline by the compiler and never come here.
#include "core/base/freestanding.h"

#include <emmintrin.h>
#include <stdint.h>

#include "core/base/text_scan.h"

namespace {

constexpr size_t kSmall = 192;

struct __attribute__((packed, may_alias)) Word {
  uint64_t bits;
};

void put(unsigned char* at, uint64_t bits) { reinterpret_cast<Word*>(at)->bits = bits; }
uint64_t get(const unsigned char* at) { return reinterpret_cast<const Word*>(at)->bits; }

// Pages are compared: four times 16 bytes at a time.
constexpr size_t kBlock = 64;
bool same_block(const unsigned char* a, const unsigned char* b) {
  const auto same = [&](size_t i) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + 16 * i)),
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + 16 * i)));
  };
  const __m128i all = _mm_and_si128(_mm_and_si128(same(0), same(1)), _mm_and_si128(same(2), same(3)));
  return _mm_movemask_epi8(all) == 0xffff;
}

}  // namespace

extern "C" {

void* memcpy(void* to, const void* from, size_t bytes) noexcept {
  void* result = to;
  if (bytes >= 8 && bytes <= kSmall) {
    auto* destination = static_cast<unsigned char*>(to);
    const auto* source = static_cast<const unsigned char*>(from);
    const uint64_t last = get(source + bytes - 8);
    for (size_t i = 0; i + 8 < bytes; i += 8) {
      put(destination + i, get(source + i));
      asm volatile("" ::: "memory");  // a loop that the compiler knows would become a call of itself
    }
    put(destination + bytes - 8, last);
    return result;
  }
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
  return result;
}

void* memmove(void* to, const void* from, size_t bytes) noexcept {
  auto* destination = static_cast<unsigned char*>(to);
  const auto* source = static_cast<const unsigned char*>(from);
  if (destination <= source || destination >= source + bytes) return memcpy(to, from, bytes);
  const void* last_from = source + bytes - 1;
  void* last_to = destination + bytes - 1;
  asm volatile("std\n\trep movsb\n\tcld" : "+D"(last_to), "+S"(last_from), "+c"(bytes) : : "memory");
  return to;
}

void* memset(void* to, int byte, size_t bytes) noexcept {
  void* result = to;
  if (bytes >= 8 && bytes <= kSmall) {
    auto* destination = static_cast<unsigned char*>(to);
    const uint64_t bits = static_cast<unsigned char>(byte) * 0x0101010101010101ull;
    for (size_t i = 0; i + 8 < bytes; i += 8) {
      put(destination + i, bits);
      asm volatile("" ::: "memory");  // as above
    }
    put(destination + bytes - 8, bits);
    return result;
  }
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(byte) : "memory");
  return result;
}

int memcmp(const void* a, const void* b, size_t bytes) noexcept {
  const auto* x = static_cast<const unsigned char*>(a);
  const auto* y = static_cast<const unsigned char*>(b);
  size_t equal = 0;
  while (equal + kBlock <= bytes && same_block(x + equal, y + equal)) equal += kBlock;
  while (equal + 8 <= bytes && get(x + equal) == get(y + equal)) equal += 8;
  for (size_t i = equal; i < bytes; ++i) {
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    asm volatile("");  // a loop that the compiler knows would become a call of itself
  }
  return 0;
}

size_t strlen(const char* text) noexcept { return heddle::length_within(text, ~size_t{0}); }

}  // extern "C"
