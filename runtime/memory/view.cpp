#include "runtime/memory/view.h"

#include <cstddef>

namespace heddle::memory {
namespace {

// A view of few threads, in one piece with its only chunk, which no other view shares.
struct NarrowView {
  View view;
  ClockChunk* chunk;
  ClockChunk times;
};
static_assert(offsetof(NarrowView, chunk) == sizeof(View));
bool is_narrow(const View& view) { return view.width <= kChunkTimes; }

bool agrees(const View* hint, std::uint32_t chunk, const std::uint32_t* times, std::uint32_t count) {
  if (hint == nullptr || chunk >= hint->chunk_count || is_narrow(*hint)) return false;
  // A chunk is zero past its view's width, so that it also stands for the wider clock's zeros there.
  const std::uint32_t* theirs = hint->chunks()[chunk]->times;
  std::uint32_t difference = 0;
  for (std::uint32_t i = 0; i < count; ++i) difference |= theirs[i] ^ times[i];
  for (std::uint32_t i = count; i < kChunkTimes; ++i) difference |= theirs[i];
  return difference == 0;
}

}  // namespace

View* ViewPool::make(const std::uint32_t* times, std::uint32_t width, const View* hint, const View* hint2) {
  if (width <= kChunkTimes) {
    auto* const narrow = static_cast<NarrowView*>(arena_.allocate(sizeof(NarrowView)));
    narrow->view = {1, width, 0, 1, nullptr};
    narrow->chunk = &narrow->times;
    std::copy_n(times, kChunkTimes, narrow->times.times);
    return &narrow->view;
  }
  const std::uint32_t chunk_count = (width + kChunkTimes - 1) / kChunkTimes;
  View* view = static_cast<View*>(arena_.allocate(bytes(chunk_count)));
  *view = {1, width, 0, chunk_count, nullptr};
  for (std::uint32_t c = 0; c < chunk_count; ++c) {
    const std::uint32_t* mine = times + c * kChunkTimes;
    const std::uint32_t count = std::min(kChunkTimes, width - c * kChunkTimes);
    ClockChunk* chunk;
    if (agrees(hint, c, mine, count)) {
      chunk = hint->chunks()[c];
      ++chunk->references;
    } else if (agrees(hint2, c, mine, count)) {
      chunk = hint2->chunks()[c];
      ++chunk->references;
    } else {
      chunk = static_cast<ClockChunk*>(arena_.allocate(sizeof(ClockChunk)));
      std::copy_n(mine, count, chunk->times);
      std::fill(chunk->times + count, chunk->times + kChunkTimes, 0u);
      chunk->references = 1;
    }
    view->chunks()[c] = chunk;
  }
  return view;
}

void ViewPool::join_into(View& view, const std::uint32_t* times, std::uint32_t width) {
  for (std::uint32_t first = 0; first < width; first += kChunkTimes) {
    ClockChunk*& chunk = view.chunks()[first / kChunkTimes];
    const std::uint32_t count = std::min(kChunkTimes, width - first);
    bool grows = false;
    for (std::uint32_t i = 0; i < count; ++i) grows = grows || times[first + i] > chunk->times[i];
    if (!grows) continue;
    if (!is_narrow(view) && chunk->references != 1) {
      auto* const own = static_cast<ClockChunk*>(arena_.allocate(sizeof(ClockChunk)));
      *own = *chunk;
      own->references = 1;
      --chunk->references;
      chunk = own;
    }
    for (std::uint32_t i = 0; i < count; ++i) chunk->times[i] = std::max(chunk->times[i], times[first + i]);
  }
  view.width = std::max(view.width, width);
}

void ViewPool::destroy(View* view) {
  if (is_narrow(*view)) {
    release(view->fence_view);
    arena_.release(view, sizeof(NarrowView));
    return;
  }
  for (std::uint32_t c = 0; c < view->chunk_count; ++c) {
    ClockChunk* chunk = view->chunks()[c];
    if (--chunk->references == 0) arena_.release(chunk, sizeof(ClockChunk));
  }
  release(view->fence_view);
  arena_.release(view, bytes(view->chunk_count));
}

}  // namespace heddle::memory
