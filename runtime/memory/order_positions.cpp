// The final places of recorded stores in the modification order.
#include <algorithm>

#include "core/base/check.h"
#include "runtime/memory/masks.h"
#include "runtime/memory/modification_order.h"

namespace heddle::memory {

// A linear extension of the DAG in which blocks stay together: a block is finished before another begins.
void ModificationOrder::assign_positions(Location& x, std::uint64_t* remaining) {
  std::uint32_t block = kNoSequence;
  while (any(remaining, x.words)) {
    Sequence next = kNoSequence;
    for (Sequence s = x.first; s != x.end; ++s) {
      if (!Location::test(remaining, x.slot(s))) continue;
      bool ready = true;
      for (std::uint32_t w = 0; w < x.words; ++w) ready = ready && (x.row(s)[w] & remaining[w]) == 0;
      if (!ready) continue;
      if (next == kNoSequence || x.block_of(x.slot(s)) == block) next = s;
      if (x.block_of(x.slot(s)) == block) break;
    }
    HEDDLE_CHECK(next != kNoSequence);
    log_position(x, next);
    block = x.block_of(x.slot(next));
    Location::clear(remaining, x.slot(next));
  }
}

void ModificationOrder::log_position(Location& x, Sequence s) {
  const EventId event = x.store(s).event;
  if (x.store(s).writer != kNoThread) ++x.positions;
  if (event == kNoEvent) return;
  if (log_size_ == log_capacity_) {
    const std::uint32_t capacity = log_capacity_ == 0 ? 256 : log_capacity_ * 2;
    auto* log = arena_.allocate_array<MoPosition>(capacity);
    std::copy_n(log_, log_size_, log);
    if (log_capacity_ != 0) arena_.release_array(log_, log_capacity_);
    log_ = log;
    log_capacity_ = capacity;
  }
  log_[log_size_++] = {event, x.positions};
}

void ModificationOrder::settle(Location& x) {
  if (!record_) return;
  std::uint64_t* remaining = scratch(x, 2);
  std::copy_n(x.live, x.words, remaining);
  assign_positions(x, remaining);
}

}  // namespace heddle::memory
