#include "tool/trace/held_locks.h"

#include <algorithm>
#include <map>

#include "core/trace/event_kinds.h"

namespace heddle {

void LockHolder::follow(const TraceEvent& event) {
  if ((event.flags & event_flags::kFailed) != 0) return;
  if (takes_lock(event.kind)) take(event);
  if (gives_lock_back(event.kind)) give_back(event.address);
  if (event.kind != EventKind::kCondWait) return;
  if (const auto held = find(event.value); held != locks_.end()) held->lent = true;
}

std::vector<HeldLock> LockHolder::locks() const {
  std::vector<HeldLock> all;
  for (const Counted& counted : locks_) {
    if (!counted.lent) all.push_back(counted.lock);
  }
  return all;
}

std::vector<LockHolder::Counted>::iterator LockHolder::find(Address address) {
  return std::find_if(locks_.begin(), locks_.end(),
                      [&](const Counted& counted) { return counted.lock.address == address; });
}

void LockHolder::take(const TraceEvent& event) {
  const auto held = find(event.address);
  if (held == locks_.end()) {
    locks_.push_back({{event.address, &event, event.kind != EventKind::kRwlockReadLock}});
  } else if (held->lent) {
    held->lent = false;
  } else {
    ++held->times;
  }
}

void LockHolder::give_back(Address address) {
  const auto held = find(address);
  if (held != locks_.end() && --held->times == 0) locks_.erase(held);
}

std::vector<std::set<Address>> locks_before_each(const std::vector<TraceEvent>& events) {
  std::vector<std::set<Address>> result;
  std::map<ThreadId, LockHolder> holders;
  for (const TraceEvent& event : events) {
    LockHolder& holder = holders[event.thread];
    std::set<Address>& held = result.emplace_back();
    for (const HeldLock& lock : holder.locks()) held.insert(lock.address);
    holder.follow(event);
  }
  return result;
}

std::vector<HeldLock> held_locks(const Trace& trace, ThreadId thread, EventId last) {
  if (last == kNoEvent) return {};
  LockHolder holder;
  for (const TraceEvent& event : trace.events) {
    if (event.id > last) break;
    if (event.thread == thread) holder.follow(event);
  }
  return holder.locks();
}

}  // namespace heddle
