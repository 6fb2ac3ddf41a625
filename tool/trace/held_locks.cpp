#include "tool/trace/held_locks.h"

#include <algorithm>

namespace heddle {
namespace {

struct Counted {
  HeldLock lock;
  std::uint32_t times = 1;
  bool lent = false;  // given back for the time of a condition wait
};

class Holder {
 public:
  void follow(const TraceEvent& event) {
    switch (event.kind) {
      case EventKind::kMutexLock:
      case EventKind::kRwlockWriteLock:
        take(event, true);
        break;
      case EventKind::kRwlockReadLock:
        take(event, false);
        break;
      case EventKind::kMutexUnlock:
      case EventKind::kRwlockUnlock:
        give_back(event.address);
        break;
      case EventKind::kCondWait:
        if (const auto held = find(event.value); held != locks_.end()) held->lent = true;
        break;
      default:
        break;
    }
  }

  std::vector<HeldLock> locks() const {
    std::vector<HeldLock> all;
    for (const Counted& counted : locks_) {
      if (!counted.lent) all.push_back(counted.lock);
    }
    return all;
  }

 private:
  std::vector<Counted>::iterator find(Address address) {
    return std::find_if(locks_.begin(), locks_.end(),
                        [&](const Counted& counted) { return counted.lock.address == address; });
  }

  void take(const TraceEvent& event, bool exclusive) {
    if ((event.flags & event_flags::kFailed) != 0) return;
    const auto held = find(event.address);
    if (held == locks_.end()) {
      locks_.push_back({{event.address, &event, exclusive}});
    } else if (held->lent) {
      held->lent = false;
    } else {
      ++held->times;
    }
  }

  void give_back(Address address) {
    const auto held = find(address);
    if (held != locks_.end() && --held->times == 0) locks_.erase(held);
  }

  std::vector<Counted> locks_;
};

}  // namespace

std::vector<HeldLock> held_locks(const Trace& trace, ThreadId thread, EventId last) {
  if (last == kNoEvent) return {};
  Holder holder;
  for (const TraceEvent& event : trace.events) {
    if (event.id > last) break;
    if (event.thread == thread) holder.follow(event);
  }
  return holder.locks();
}

}  // namespace heddle
