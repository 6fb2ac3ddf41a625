// How far a text goes, sixteen bytes at a time. A text may end at the end of its mapping: no load touches a
// page of which no byte has to be read. (AddressSanitizer does not know that rule, and is told to look away.)
#pragma once

#include <emmintrin.h>
#include <stddef.h>
#include <stdint.h>

namespace heddle {

#define HEDDLE_READS_WHOLE_BLOCKS __attribute__((no_sanitize("address")))

inline constexpr size_t kTextBlock = 16;

namespace text_scan {

// A bit for each byte of the block that belongs to a character which is zero.
template <typename Char>
HEDDLE_READS_WHOLE_BLOCKS inline uint32_t zeros_in(uintptr_t block) {
  const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(block));
  const __m128i zero = _mm_setzero_si128();
  return static_cast<uint32_t>(
      _mm_movemask_epi8(sizeof(Char) == 1 ? _mm_cmpeq_epi8(bytes, zero) : _mm_cmpeq_epi32(bytes, zero)));
}

inline bool ends_in_its_page(const void* block) {
  return reinterpret_cast<uintptr_t>(block) % 4096 <= 4096 - kTextBlock;
}

}  // namespace text_scan

// The characters before the first that is zero, at most `most` (as strnlen and wcsnlen).
template <typename Char>
HEDDLE_READS_WHOLE_BLOCKS inline size_t length_within(const Char* text, size_t most) {
  static_assert(sizeof(Char) == 1 || sizeof(Char) == 4);
  if (most == 0) return 0;
  const auto at = reinterpret_cast<uintptr_t>(text);
  if (at % sizeof(Char) != 0) {  // characters that no block holds whole
    size_t length = 0;
    while (length < most && text[length] != 0) ++length;
    return length;
  }
  // Aligned blocks: the first one may begin before the text.
  const size_t before = at % kTextBlock;
  uintptr_t block = at - before;
  uint32_t zeros = text_scan::zeros_in<Char>(block) >> before;
  size_t length = 0;
  if (zeros == 0) {
    length = (kTextBlock - before) / sizeof(Char);
    for (; length < most; length += kTextBlock / sizeof(Char)) {
      block += kTextBlock;
      zeros = text_scan::zeros_in<Char>(block);
      if (zeros != 0) break;
    }
    if (length >= most) return most;
  }
  length += static_cast<size_t>(__builtin_ctz(zeros)) / sizeof(Char);
  return length < most ? length : most;
}

// How many characters of each text a comparison looks at: up to the first difference or the end, with it, and
// at most `most`.
HEDDLE_READS_WHOLE_BLOCKS inline size_t compared_within(const char* a, const char* b, size_t most) {
  size_t equal = 0;
  while (equal < most) {
    if (!text_scan::ends_in_its_page(a + equal) || !text_scan::ends_in_its_page(b + equal)) {
      if (a[equal] != b[equal] || a[equal] == '\0') return equal + 1;
      ++equal;
      continue;
    }
    const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + equal));
    const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + equal));
    const __m128i goes_on = _mm_andnot_si128(_mm_cmpeq_epi8(x, _mm_setzero_si128()), _mm_cmpeq_epi8(x, y));
    const uint32_t ends = ~static_cast<uint32_t>(_mm_movemask_epi8(goes_on)) & 0xffff;
    if (ends != 0) {
      equal += static_cast<size_t>(__builtin_ctz(ends)) + 1;
      return equal < most ? equal : most;
    }
    equal += kTextBlock;
  }
  return most;
}

#undef HEDDLE_READS_WHOLE_BLOCKS

}  // namespace heddle
