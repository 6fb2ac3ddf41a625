#include "tool/search/thread_order.h"

#include <algorithm>

namespace heddle::search {

ThreadOrder::ThreadOrder(std::span<const TraceEvent> events) : positions_(events.size()), clocks_(1) {
  struct Thread {
    std::vector<std::uint32_t> events;
    std::size_t done = 0;
    Clock clock;
    std::uint32_t clock_number = 0;  // 0: knows of nobody
    bool created = false;            // by an event of these

    bool is_over() const { return done == events.size(); }
  };
  std::map<ThreadId, Thread> threads;
  for (std::uint32_t i = 0; i < events.size(); ++i) threads[events[i].thread].events.push_back(i);
  for (const TraceEvent& e : events) {
    if (e.kind == EventKind::kThreadCreate && threads.contains(e.other)) threads[e.other].created = true;
  }
  const auto learn = [&](Thread& thread, const Clock& clock) {
    for (const auto& [of, count] : clock) thread.clock[of] = std::max(thread.clock[of], count);
    thread.clock_number = static_cast<std::uint32_t>(clocks_.size());
    clocks_.push_back(thread.clock);
  };
  // A thread goes on until it has to wait for its creation or for the end of another.
  std::map<ThreadId, bool> started;
  const auto advance = [&](ThreadId id, Thread& thread) {
    const std::size_t before = thread.done;
    if (thread.created && !started[id]) return false;
    for (; !thread.is_over(); ++thread.done) {
      const TraceEvent& e = events[thread.events[thread.done]];
      const auto other = threads.find(e.other);
      if (e.kind == EventKind::kThreadJoin && other != threads.end()) {
        if (!other->second.is_over()) break;
        learn(thread, other->second.clock);
      }
      const auto ordinal = static_cast<std::uint32_t>(thread.done + 1);
      thread.clock[id] = ordinal;
      positions_[thread.events[thread.done]] = {id, ordinal, thread.clock_number};
      if (e.kind == EventKind::kThreadCreate && other != threads.end() && !started[e.other]) {
        started[e.other] = true;
        learn(other->second, thread.clock);
      }
    }
    return thread.done != before;
  };
  for (bool any = true; any;) {
    any = false;
    for (auto& [id, thread] : threads) any = advance(id, thread) || any;
  }
}

bool ThreadOrder::is_before(std::uint32_t a, std::uint32_t b) const {
  const Position& first = positions_[a];
  const Position& second = positions_[b];
  if (first.ordinal == 0 || second.ordinal == 0) return false;  // of a thread that could not be followed
  if (first.thread == second.thread) return first.ordinal < second.ordinal;
  const Clock& clock = clocks_[second.clock];
  const auto known = clock.find(first.thread);
  return known != clock.end() && known->second >= first.ordinal;
}

}  // namespace heddle::search
