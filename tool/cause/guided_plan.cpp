#include "tool/cause/guided_plan.h"

#include <map>
#include <set>
#include <unordered_map>

#include "core/trace/event_kinds.h"

namespace heddle::cause {
namespace {

// Does a thread that records it count it as one of its operations (runtime/strategy/plan.cpp)?
bool is_operation(const TraceEvent& event) {
  switch (event.kind) {
    case EventKind::kPlainRead:
    case EventKind::kPlainWrite:
      return (event.flags & event_flags::kTurn) != 0;
    case EventKind::kNone:
    case EventKind::kThreadStart:
    case EventKind::kThreadDetach:
    case EventKind::kAllocate:
    case EventKind::kFree:
    case EventKind::kNote:
    case EventKind::kFinding:
    case EventKind::kExit:
      return false;
    default:
      return true;
  }
}

struct Counted {
  std::uint32_t operations = 0;  // of its thread, before the event
  std::uint32_t stores = 0;
  bool is_operation = false;
  bool counts = false;
};

// By event. `uncounted` as in plan_of.
std::unordered_map<std::uint32_t, Counted> counted_events(const Trace& trace, std::uint32_t uncounted) {
  std::unordered_map<std::uint32_t, Counted> counted;
  std::map<ThreadId, Counted> threads;
  for (const TraceEvent& event : trace.events) {
    Counted& thread = threads[event.thread];
    Counted own = thread;
    own.is_operation = is_operation(event);
    own.counts = own.is_operation && (event.thread != kMainThread || uncounted == 0);
    if (own.is_operation && !own.counts) --uncounted;
    counted[index_of(event.id)] = own;
    if (own.counts) ++thread.operations;
    if (stores_atomically(event.kind)) ++thread.stores;
  }
  return counted;
}

// Operations before which a thread makes room for others unless it is told to go on
// (runtime/strategy/plan.cpp); schedules do not have them. By thread and its operations before.
std::set<std::pair<ThreadId, std::uint32_t>> pauses(
    const Trace& trace, const std::unordered_map<std::uint32_t, Counted>& counted) {
  std::set<std::pair<ThreadId, std::uint32_t>> result;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kSleep && event.kind != EventKind::kYield) continue;
    const Counted& own = counted.at(index_of(event.id));
    if (own.counts) result.insert({event.thread, own.operations});
  }
  return result;
}

}  // namespace

std::uint32_t operations_before_threads(const Trace& trace) {
  std::uint32_t count = 0;
  for (const TraceEvent& event : trace.events) {
    if (event.thread == kMainThread && is_operation(event)) ++count;
    if (event.kind == EventKind::kThreadCreate) break;
  }
  return count;
}

std::vector<Departure> plan_of(const Trace& trace, std::span<const constraints::Place> schedule, bool weak,
                               std::uint32_t uncounted) {
  const auto counted = counted_events(trace, uncounted);
  const auto paused = pauses(trace, counted);
  std::vector<Departure> plan;
  std::map<ThreadId, std::uint32_t> done;  // operations
  ThreadId running = kNoThread;
  bool waits = false;
  for (const constraints::Place& place : schedule) {
    const auto found = counted.find(index_of(place.event));
    if (place.event == kNoEvent || found == counted.end()) continue;
    const Counted& own = found->second;
    // A plain access is made when its thread comes to its next operation.
    if (!own.is_operation) continue;
    if (running != place.thread && running != kNoThread) {
      const auto leave = [&](std::uint32_t slot) {
        plan.push_back({ChoicePlace::make(running, done[running], slot, 0), ChoiceKey::thread(place.thread)});
      };
      // Who waits chooses at the same place once more when it was woken.
      if (!waits) leave(static_cast<std::uint32_t>(ChoiceKind::kThread));
      leave(ChoicePlace::kForced);
    }
    // Who goes on where others would get their turn because nothing seems to change (runtime/strategy/plan.h)
    // is told to: what it changes may be plain memory.
    if (running == place.thread && own.counts) {
      const auto slot = static_cast<std::uint32_t>(ChoiceKind::kThread);
      plan.push_back({ChoicePlace::make(running, own.operations, slot, 0), ChoiceKey::thread(place.thread)});
    }
    // Who gets its turn does what it came to; later it has to be told to go on.
    const std::uint32_t first = done[place.thread] + (running == place.thread ? 0 : 1);
    for (auto pause = paused.lower_bound({place.thread, first});
         pause != paused.end() && pause->first == place.thread && pause->second < own.operations; ++pause) {
      const auto slot = static_cast<std::uint32_t>(ChoiceKind::kThread);
      plan.push_back(
          {ChoicePlace::make(place.thread, pause->second, slot, 0), ChoiceKey::thread(place.thread)});
    }
    running = place.thread;
    done[running] = own.operations + (own.counts ? 1 : 0);
    if (place.wakes != kNoThread) {
      const auto slot = static_cast<std::uint32_t>(ChoiceKind::kWakeUp);
      plan.push_back({ChoicePlace::make(running, own.operations, slot, 0), ChoiceKey::thread(place.wakes)});
    }
    const TraceEvent* event = trace.find_event(place.event);
    waits = event != nullptr && event->kind == EventKind::kCondWait;
    if (!weak || event == nullptr || !reads_memory(event->kind)) continue;
    ChoiceKey source = ChoiceKey::store(kNoThread, 0);
    if (place.reads_from != constraints::kNoAction) {
      const constraints::Place& writer = schedule[place.reads_from];
      const TraceEvent* written = writer.event == kNoEvent ? nullptr : trace.find_event(writer.event);
      if (written == nullptr || !stores_atomically(written->kind)) continue;
      source = ChoiceKey::store(written->thread, counted.at(index_of(written->id)).stores);
    }
    plan.push_back(
        {ChoicePlace::make(running, own.operations, static_cast<std::uint32_t>(ChoiceKind::kReadsFrom), 0),
         source});
  }
  return plan;
}

Hold hold_before(const Trace& trace, EventId event, std::uint32_t uncounted) {
  const Counted own = counted_events(trace, uncounted).at(index_of(event));
  // A plain access comes together with the operation before it.
  const std::uint32_t before = own.is_operation || own.operations == 0 ? 0 : 1;
  return {trace.events[index_of(event)].thread, own.operations - before};
}

}  // namespace heddle::cause
