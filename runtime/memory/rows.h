// The rows of a location whose rows are one word each (location.h), all of them at a time: two by two, which
// every x86-64 can (SSE2), or four by four (AVX2). Rows that are not in use say anything, and may be changed.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "runtime/memory/location.h"
#include "runtime/memory/select.h"

namespace heddle::memory {

// (Capacities are powers of two, and the arena's blocks aligned to 16.)
inline bool has_wide_rows(const Location& x) { return processor.has_wide_rows && x.capacity >= 4; }

namespace wide_rows {

[[gnu::target("avx2")]] inline __m256i* four_at(const Location& x, std::uint32_t row) {
  return reinterpret_cast<__m256i*>(x.rows + row);
}

[[gnu::target("avx2")]] inline void add_where(const Location& x, std::uint32_t slot, std::uint64_t added) {
  const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(1ull << slot));
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(added));
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < x.capacity; i += 4) {
    const __m256i four = _mm256_loadu_si256(four_at(x, i));
    const __m256i has_bit = _mm256_cmpeq_epi64(_mm256_and_si256(four, bit), bit);
    _mm256_storeu_si256(four_at(x, i), _mm256_or_si256(four, _mm256_and_si256(has_bit, all)));
  }
}

[[gnu::target("avx2")]] inline std::uint64_t with(const Location& x, std::uint32_t slot) {
  const __m128i to_sign = _mm_cvtsi32_si128(63 - static_cast<int>(slot));
  std::uint64_t found = 0;
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < x.capacity; i += 4) {
    const __m256i four = _mm256_sll_epi64(_mm256_loadu_si256(four_at(x, i)), to_sign);
    found |= static_cast<std::uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(four))) << i;
  }
  return found;
}

[[gnu::target("avx2")]] inline void keep(const Location& x, std::uint64_t kept) {
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(kept));
#pragma GCC unroll 4
  for (std::uint32_t i = 0; i < x.capacity; i += 4)
    _mm256_storeu_si256(four_at(x, i), _mm256_and_si256(_mm256_loadu_si256(four_at(x, i)), all));
}

}  // namespace wide_rows

using TwoRows = std::uint64_t __attribute__((vector_size(16), may_alias));

// rows[i] |= added for each row that has the bit of `slot`.
inline void add_to_rows_with(const Location& x, std::uint32_t slot, std::uint64_t added) {
  if (has_wide_rows(x)) return wide_rows::add_where(x, slot, added);
  auto* const rows = reinterpret_cast<TwoRows*>(x.rows);
  const TwoRows both = {added, added};
  for (std::uint32_t i = 0, n = x.capacity / 2; i < n; ++i)
    rows[i] |= both & (TwoRows{} - ((rows[i] >> slot) & 1));
}

// The slots of the stores that have the bit of `slot` in their row.
inline std::uint64_t rows_with(const Location& x, std::uint32_t slot) {
  if (has_wide_rows(x)) return wide_rows::with(x, slot);
  std::uint64_t found = 0;
  const __m128i to_sign = _mm_cvtsi32_si128(63 - static_cast<int>(slot));
  for (std::uint32_t i = 0; i < x.capacity; i += 2) {
    const __m128i two = _mm_load_si128(reinterpret_cast<const __m128i*>(x.rows + i));
    const int signs = _mm_movemask_pd(_mm_castsi128_pd(_mm_sll_epi64(two, to_sign)));
    found |= static_cast<std::uint64_t>(signs) << i;
  }
  return found;
}

// rows[i] &= kept for each row.
inline void keep_in_rows(const Location& x, std::uint64_t kept) {
  if (has_wide_rows(x)) return wide_rows::keep(x, kept);
  auto* const rows = reinterpret_cast<TwoRows*>(x.rows);
  const TwoRows both = {kept, kept};
  for (std::uint32_t i = 0, n = x.capacity / 2; i < n; ++i) rows[i] &= both;
}

}  // namespace heddle::memory
