#include "runtime/engine/happens_before.h"

#include "core/base/limit.h"
#include "core/base/pages.h"
#include "runtime/engine/entry_thunks.h"

namespace heddle::engine {
namespace {

constexpr std::uint32_t kMaxClocks = 1u << 22;

}  // namespace

void HappensBefore::start() {
  clocks_ = static_cast<memory::SyncClock*>(map_pages(std::size_t{kMaxClocks} * sizeof(memory::SyncClock)));
}

void HappensBefore::fence(MemoryOrder order) {
  if (suspended_) return;
  memory_.fence(scheduler_.current(), order);
  enter_epoch();
}

void HappensBefore::release(std::uint32_t& clock) {
  if (clock == 0) {
    if (count_ + 1 >= kMaxClocks)
      limit_reached("synchronisation objects in one execution (4,194,304 that order threads)",
                    "Make the test smaller, or let it use objects again.");
    clock = ++count_;
  }
  const ThreadId t = scheduler_.current();
  memory_.release(t, clocks_[clock]);
  if (observer_ != nullptr) observer_->released(t, clock);
  // A thread that may be in a library is asked about that at its next access.
  crossing.pending != 0 ? enter_epoch() : race_.enter_later(t, memory_.epoch(t).time);
}

void HappensBefore::enter_epoch() {
  const ThreadId t = scheduler_.current();
  race_.enter(t, memory_.epoch(t).time, memory_.clock(t));
  if (crossing.pending != 0) race_.unsettle();
}

}  // namespace heddle::engine
