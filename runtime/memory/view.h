// What one thread tells another: an immutable, shared snapshot of a happens-before clock, and the message
// that a release puts into a store or a synchronisation object.
//
// A store never copies a clock. While a thread learns nothing new, all its releases share one View and differ
// only in the thread's own time, which the Message carries beside it. Views are counted by reference and so
// go away with the last store that needs them, which keeps memory flat in long runs.
//
// Wide clocks are kept in chunks of sixteen times, and a new View shares every chunk in which it agrees with
// the view that its maker learnt last or published last: with 300 threads on one counter a release costs
// about 350 bytes and not 1,200.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/arena.h"
#include "core/base/ids.h"

namespace heddle::memory {

// A moment of the total order S of seq_cst operations (total_order.h); 0 is before all. A later one is later in S,
// whenever the operation was executed.
using SeqTime = std::uint32_t;

inline constexpr std::uint32_t kChunkTimes = 16;

struct ClockChunk {
  std::uint32_t times[kChunkTimes];
  std::uint32_t references;
};

struct View {
  std::uint32_t references;
  std::uint32_t width;  // threads; later ones are at time 0
  SeqTime sigma;        // the S-latest seq_cst fence that happens before; 0: none
  std::uint32_t chunk_count;
  View* fence_view;  // G[sigma]: what the fences up to that one had seen; null if sigma is 0

  ClockChunk** chunks() { return reinterpret_cast<ClockChunk**>(this + 1); }
  ClockChunk* const* chunks() const { return reinterpret_cast<ClockChunk* const*>(this + 1); }
  std::uint32_t time(std::uint32_t thread) const {
    return thread < width ? chunks()[thread / kChunkTimes]->times[thread % kChunkTimes] : 0;
  }
};

// A View in which `owner` is at `epoch`. Whoever knows (owner, epoch) knows the whole message, because a
// thread's own time advances whenever it publishes. A message merged from several threads' clocks has no such
// owner. All zero: says nothing.
struct Message {
  View* view = nullptr;
  std::uint32_t epoch = 0;
  ThreadId owner = kNoThread;
  std::uint16_t unused = 0;  // copied as two whole words

  explicit operator bool() const { return view != nullptr; }
  bool has_owner() const { return owner != kNoThread; }
  // Does what the message says include `time` of `thread`?
  bool knows(ThreadId thread, std::uint32_t time) const {
    return (thread == owner && epoch >= time) || view->time(index_of(thread)) >= time;
  }
};

class ViewPool {
 public:
  explicit ViewPool(Arena& arena) : arena_(arena) {}

  // A snapshot of `times`, sharing chunks with the hints (which may be null) where they agree. REQUIRES:
  // `times` has whole chunks, with zeros past `width`.
  View* make(const std::uint32_t* times, std::uint32_t width, const View* hint, const View* hint2);

  // Joins `times` into a view that others have: they are to see it. REQUIRES: fits(view, width).
  void join_into(View& view, const std::uint32_t* times, std::uint32_t width);
  static bool fits(const View& view, std::uint32_t width) { return width <= view.chunk_count * kChunkTimes; }

  static View* retain(View* view) {
    if (view != nullptr) ++view->references;
    return view;
  }
  static Message retain(Message message) {
    retain(message.view);
    return message;
  }
  void release(View* view) {
    if (view != nullptr && --view->references == 0) destroy(view);
  }
  void replace(View*& place, View* view) {  // takes over the reference
    View* old = place;
    place = view;
    release(old);
  }
  void replace(Message& place, Message message) {
    View* old = place.view;
    place = message;
    release(old);
  }

 private:
  static std::size_t bytes(std::uint32_t chunk_count) {
    return sizeof(View) + chunk_count * sizeof(ClockChunk*);
  }
  void destroy(View* view);

  Arena& arena_;
};

// times ⊔= view, four at a time. REQUIRES: `times` has whole chunks, as many as the view at least.
inline void join(std::uint32_t* times, const View& view) {
  using Four = std::uint32_t __attribute__((vector_size(16), may_alias));
  static_assert(kChunkTimes % 4 == 0);
  for (std::uint32_t first = 0; first < view.width; first += kChunkTimes) {
    const auto* theirs = reinterpret_cast<const Four*>(view.chunks()[first / kChunkTimes]->times);
    auto* mine = reinterpret_cast<Four*>(times + first);
    // Past its width a view is at zero, which changes nothing.
    const std::uint32_t fours = (std::min(kChunkTimes, view.width - first) + 3) / 4;
    for (std::uint32_t i = 0; i < fours; ++i) mine[i] = theirs[i] > mine[i] ? theirs[i] : mine[i];
  }
}

}  // namespace heddle::memory
