#include "tool/report/messages.h"

#include <algorithm>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

bool is_own_place(const Trace& trace, std::uint64_t pc, StackId stack) {
  const std::vector<Frame> frames = visible_frames(trace, pc, stack);
  const Frame* frame = deciding_frame(frames);
  return frame != nullptr && is_own_code(*frame) && frame->line != 0;
}

// The wait itself, which is the thread's last one at that object.
const TraceEvent* wait_of(const Trace& trace, const TracePart& waiter) {
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->thread != waiter.thread) continue;
    if (e->kind == EventKind::kCondWait && (waiter.address == 0 || e->address == waiter.address)) return &*e;
  }
  return nullptr;
}

}  // namespace

std::optional<Message> message_without_order(const Trace& trace, ThreadId from, EventId sent, ThreadId to,
                                             EventId seen) {
  if (seen == kNoEvent) return std::nullopt;
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->id > seen || e->thread != to || e->reads_from == kNoEvent) continue;
    const TraceEvent* store = trace.find_event(e->reads_from);
    if (store == nullptr || store->thread != from) continue;
    if (sent != kNoEvent && store->id <= sent) continue;
    if (is_release(store->order) && is_acquire(e->order)) continue;
    return Message{store, &*e};
  }
  return std::nullopt;
}

std::optional<SharedAccess> predicate_write(const Trace& trace, const TracePart& waiter) {
  const TraceEvent* wait = wait_of(trace, waiter);
  if (wait == nullptr) return std::nullopt;
  // The thread read its condition after it had last taken the lock, or had woken up.
  std::uint64_t since = 0;
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if (e->id >= wait->id || e->thread != waiter.thread) continue;
    if (!takes_lock(e->kind) && e->kind != EventKind::kCondWake) continue;
    since = time_of(e->id);
    break;
  }
  const std::vector<SharedAccess> all = shared_accesses(trace);
  std::set<Address> read;
  for (const SharedAccess& a : all) {
    if (a.thread == waiter.thread && a.reads && time_of(a.event) >= since && a.event != kNoEvent &&
        a.event < wait->id)
      read.insert(a.address / 8);
  }
  for (auto a = all.rbegin(); a != all.rend(); ++a) {
    if (a->thread == waiter.thread || !a->writes || !read.contains(a->address / 8)) continue;
    if (is_own_place(trace, a->pc, a->stack)) return *a;
  }
  return std::nullopt;
}

}  // namespace heddle::report
