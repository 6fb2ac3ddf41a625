#include "runtime/race/shadow.h"

#include <emmintrin.h>

#include "core/base/check.h"
#include "core/base/limit.h"
#include "runtime/race/raw_memory.h"

namespace heddle::race {
namespace {

constexpr std::size_t kChunkShadow = Shadow::kChunkCells * sizeof(StateId);
constexpr std::size_t kBitmapSize = Shadow::kSize / kChunkShadow / 8;
// One page more: a 16-byte access of the last word looks at the cell behind it.
constexpr std::size_t kMappedSize = Shadow::kSize + kPageSize;
constexpr std::size_t kChunksSize = Shadow::kMaxChunks * sizeof(std::uint64_t);
constexpr std::size_t kKeptChunks =
    1u << 16;  // up to 64 MB are emptied in place by reset, which is several times cheaper
constexpr std::size_t kFewChunks = 256;
constexpr std::uint64_t kLookedAt = 4;  // chunks of a page or two need no index

}  // namespace

bool Shadow::map() {
  if (reserve_memory(kBase, kMappedSize) == nullptr) return false;
  is_mapped_ = true;
  registered_ = static_cast<std::uint64_t*>(reserve_memory(0, kBitmapSize));
  chunks_ = static_cast<std::uint64_t*>(reserve_memory(0, kChunksSize));
  if (registered_ != nullptr && chunks_ != nullptr) return true;
  unmap();
  return false;
}

void Shadow::unmap() {
  if (is_mapped_) unmap_memory(reinterpret_cast<void*>(kBase), kMappedSize);
  if (registered_ != nullptr) unmap_memory(registered_, kBitmapSize);
  if (chunks_ != nullptr) unmap_memory(chunks_, kChunksSize);
  registered_ = chunks_ = nullptr;
  is_indexed_ = false;
  chunk_count_ = 0;
  is_mapped_ = false;
}

void Shadow::register_unfilled(StateId* chunk) {
  if (chunk_count_ >= kMaxChunks)
    limit_reached("memory that is checked for races", "Let the test touch less memory.");
  const std::uint64_t number = number_of(chunk);
  if (is_indexed_) registered_[number / 64] |= 1ull << (number % 64);
  chunks_[chunk_count_++] = number;
}

void Shadow::index_chunks() {
  for (std::size_t i = 0; i < chunk_count_; ++i) registered_[chunks_[i] / 64] |= 1ull << (chunks_[i] % 64);
  is_indexed_ = true;
}

// skip_virgin() by the list alone: an index would touch more pages than a short execution has chunks.
StateId* Shadow::skip_unlisted(StateId* cell, StateId* end) const {
  if (!is_chunk_begin(cell) && *cell != kVirgin) return cell;  // on the way through a chunk
  const std::uint64_t first = number_of(cell);
  std::uint64_t nearest = number_of(end - 1) + 1;
  for (std::size_t i = 0; i < chunk_count_; ++i) {
    if (chunks_[i] >= first && chunks_[i] < nearest) nearest = chunks_[i];
  }
  if (nearest == first) return cell;
  return nearest > number_of(end - 1) ? end : chunk_at(nearest);
}

StateId* Shadow::skip_virgin(StateId* cell, StateId* end) {
  std::uint64_t number = number_of(cell);
  const std::uint64_t last = number_of(end - 1);
  if (last - number < kLookedAt) {
    while (cell < end && *cell == kVirgin) cell = chunk_of(cell) + kChunkCells;
    return cell < end ? cell : end;
  }
  if (!is_indexed_ && chunk_count_ <= kFewChunks) return skip_unlisted(cell, end);
  if (!is_indexed_) index_chunks();
  std::uint64_t word = registered_[number / 64] >> (number % 64);
  if ((word & 1) != 0) return cell;
  while (word == 0) {
    number = (number / 64 + 1) * 64;
    if (number > last) return end;
    word = registered_[number / 64];
  }
  number += static_cast<std::uint64_t>(__builtin_ctzll(word));
  return number > last ? end : chunk_at(number);
}

void Shadow::reset() {
  if (chunk_count_ <= kKeptChunks) {
    for (std::size_t i = 0; i < chunk_count_; ++i) fill(chunk_at(chunks_[i]), kChunkCells, kEmpty);
    return;
  }
  // Memory is mostly touched in rising order: one call gives back a whole run of pages. Other chunks of these
  // pages are registered, and go too, or are virgin.
  constexpr std::uint64_t kPerPage = kPageSize / kChunkShadow;
  for (std::size_t i = 0; i < chunk_count_;) {
    const std::uint64_t first = chunks_[i] / kPerPage;
    std::uint64_t last = first;
    for (; i < chunk_count_; ++i) {
      const std::uint64_t page = chunks_[i] / kPerPage;
      if (page != last && page != last + 1) break;
      last = page;
      if (is_indexed_) registered_[chunks_[i] / 64] &= ~(1ull << (chunks_[i] % 64));
    }
    discard_memory(chunk_at(first * kPerPage), (last - first + 1) * kPageSize);
  }
  chunk_count_ = 0;
}

void Shadow::fill(StateId* cells, std::size_t count, StateId value) {
  StateId* const end = cells + count;
  while (cells != end && (reinterpret_cast<std::uint64_t>(cells) & 15) != 0) *cells++ = value;
  const __m128i values = _mm_set1_epi32(static_cast<int>(value));
  for (; end - cells >= 16; cells += 16) {
    __m128i* const lines = reinterpret_cast<__m128i*>(cells);
    _mm_store_si128(lines, values);
    _mm_store_si128(lines + 1, values);
    _mm_store_si128(lines + 2, values);
    _mm_store_si128(lines + 3, values);
  }
  while (cells != end) *cells++ = value;
}

std::size_t Shadow::replace_run(StateId* cells, std::size_t count, StateId from, StateId to) {
  StateId* cell = cells;
  StateId* const end = cells + count;
  while (cell != end && (reinterpret_cast<std::uint64_t>(cell) & 15) != 0) {
    if (*cell != from) return static_cast<std::size_t>(cell - cells);
    *cell++ = to;
  }
  const __m128i expected = _mm_set1_epi32(static_cast<int>(from));
  const __m128i values = _mm_set1_epi32(static_cast<int>(to));
  for (; end - cell >= 16; cell += 16) {
    __m128i* const lines = reinterpret_cast<__m128i*>(cell);
    const __m128i low = _mm_and_si128(_mm_cmpeq_epi32(_mm_load_si128(lines), expected),
                                      _mm_cmpeq_epi32(_mm_load_si128(lines + 1), expected));
    const __m128i high = _mm_and_si128(_mm_cmpeq_epi32(_mm_load_si128(lines + 2), expected),
                                       _mm_cmpeq_epi32(_mm_load_si128(lines + 3), expected));
    if (_mm_movemask_epi8(_mm_and_si128(low, high)) != 0xffff) break;
    if (from == to) continue;
    _mm_store_si128(lines, values);
    _mm_store_si128(lines + 1, values);
    _mm_store_si128(lines + 2, values);
    _mm_store_si128(lines + 3, values);
  }
  while (cell != end && *cell == from) *cell++ = to;
  return static_cast<std::size_t>(cell - cells);
}

}  // namespace heddle::race
