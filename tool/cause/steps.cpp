#include "tool/cause/steps.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/trace/event_kinds.h"
#include "tool/cause/long_matches.h"

namespace heddle::cause {
namespace {

// Thread → its name: the numbers of children on the way from the main thread to it.
using ThreadPath = std::vector<std::uint32_t>;

std::map<ThreadId, ThreadPath> paths_of(const Trace& trace) {
  std::map<ThreadId, ThreadPath> paths{{kMainThread, {}}};
  std::map<ThreadId, std::uint32_t> children;
  for (const TraceEvent& event : trace.events) {
    if (event.kind != EventKind::kThreadCreate || event.other == kNoThread) continue;
    ThreadPath path = paths[event.thread];
    path.push_back(children[event.thread]++);
    paths[event.other] = std::move(path);
  }
  return paths;
}

// For each thread of `b` the thread of `a` that it is; threads that only `b` has are numbered on.
std::map<ThreadId, ThreadId> counterparts(const Trace& a, const Trace& b) {
  std::map<ThreadPath, ThreadId> known;
  std::uint16_t next = 0;
  for (const auto& [thread, path] : paths_of(a)) {
    known[path] = thread;
    next = std::max<std::uint16_t>(next, static_cast<std::uint16_t>(index_of(thread) + 1));
  }
  std::map<ThreadId, ThreadId> result;
  for (const auto& [thread, path] : paths_of(b)) {
    const auto found = known.find(path);
    result[thread] = found != known.end() ? found->second : ThreadId{next++};
  }
  return result;
}

std::vector<std::uint32_t> places_of(const Steps& steps, ThreadId thread) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < steps.steps.size(); ++i) {
    if (steps.steps[i].thread == thread) places.push_back(i);
  }
  return places;
}

bool same_operation(const TraceEvent& a, const TraceEvent& b) {
  const auto family = [](EventKind kind) {
    // The same instruction, with another result.
    return kind == EventKind::kCasFailed ? EventKind::kAtomicUpdate : kind;
  };
  return a.pc == b.pc && family(a.kind) == family(b.kind);
}

// Pairs of positions in `a` and `b` that correspond: a longest common subsequence, or where very much differs, the common
// beginning.
std::vector<std::pair<std::uint32_t, std::uint32_t>> matches(const Steps& a,
                                                             const std::vector<std::uint32_t>& in_a,
                                                             const Steps& b,
                                                             const std::vector<std::uint32_t>& in_b) {
  constexpr std::size_t kMost = 2000, kMostEdits = 2000;
  const auto equal = [&](std::size_t i, std::size_t k) {
    return same_operation(*a.events[in_a[i]], *b.events[in_b[k]]);
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
  std::size_t begin = 0;
  while (begin < in_a.size() && begin < in_b.size() && equal(begin, begin)) {
    result.emplace_back(in_a[begin], in_b[begin]);
    ++begin;
  }
  const std::size_t rows = in_a.size() - begin, columns = in_b.size() - begin;
  if (rows == 0 || columns == 0) return result;
  if (rows > kMost || columns > kMost) {
    const auto pairs = long_matches(
        rows, columns, kMostEdits, [&](std::size_t i, std::size_t k) { return equal(begin + i, begin + k); });
    for (const auto& [i, k] : pairs) result.emplace_back(in_a[begin + i], in_b[begin + k]);
    return result;
  }
  std::vector<std::uint16_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t k) -> std::uint16_t& {
    return length[i * (columns + 1) + k];
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t k = columns; k-- > 0;) {
      at(i, k) = equal(begin + i, begin + k) ? static_cast<std::uint16_t>(at(i + 1, k + 1) + 1)
                                             : std::max(at(i + 1, k), at(i, k + 1));
    }
  }
  for (std::size_t i = 0, k = 0; i < rows && k < columns;) {
    if (equal(begin + i, begin + k)) {
      result.emplace_back(in_a[begin + i], in_b[begin + k]);
      ++i;
      ++k;
    } else {
      at(i + 1, k) >= at(i, k + 1) ? ++i : ++k;
    }
  }
  return result;
}

}  // namespace

std::vector<std::uint32_t> sources_of(const Trace& trace) {
  std::unordered_map<Address, std::uint32_t> last;  // byte → position of the event that wrote it
  std::unordered_map<std::uint32_t, std::uint32_t> position;
  std::vector<std::uint32_t> sources(trace.events.size(), kNoStep);
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    position[index_of(event.id)] = i;
    if (reads_memory(event.kind)) {
      const auto named = position.find(index_of(event.reads_from));
      if (event.reads_from != kNoEvent && named != position.end()) {
        sources[i] = named->second;
      } else {
        // The latest of those who wrote any byte of it. An atomic that reads its initial value may find a
        // plain write there, by which it was initialised.
        for (std::uint32_t byte = 0; byte < event.size; ++byte) {
          const auto found = last.find(event.address + byte);
          if (found == last.end()) continue;
          const bool was_plain = trace.events[found->second].kind == EventKind::kPlainWrite;
          if (event.kind != EventKind::kPlainRead && !was_plain) continue;
          if (sources[i] == kNoStep || sources[i] < found->second) sources[i] = found->second;
        }
      }
    }
    if (writes_memory(event.kind)) {
      for (std::uint32_t byte = 0; byte < event.size; ++byte) last[event.address + byte] = i;
    }
  }
  return sources;
}

EventId counterpart_of(const Trace& trace, EventId id, const Trace& other) {
  const auto event = std::find_if(trace.events.begin(), trace.events.end(),
                                  [&](const TraceEvent& e) { return id != kNoEvent && e.id == id; });
  if (event == trace.events.end()) return kNoEvent;
  // It is the same one of those that are alike.
  const auto is_alike = [&](const TraceEvent& e) {
    return e.thread == event->thread && e.kind == event->kind && e.pc == event->pc &&
           e.address == event->address;
  };
  auto before = std::count_if(trace.events.begin(), event, is_alike);
  for (const TraceEvent& e : other.events) {
    if (is_alike(e) && before-- == 0) return e.id;
  }
  return kNoEvent;
}

Steps steps_of(const Trace& trace) {
  Steps result;
  const std::vector<std::uint32_t> sources = sources_of(trace);
  std::vector<std::uint32_t> step_of(trace.events.size(), kNoStep);
  std::unordered_map<Address, std::uint32_t> variables;
  std::unordered_map<std::uint32_t, std::uint32_t> ordinals;
  for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    const bool is_access = accesses_memory(event.kind);
    if (!is_access && !synchronises(event.kind) && event.kind != EventKind::kFree) continue;
    Step step;
    step.thread = event.thread;
    step.ordinal = ordinals[index_of(event.thread)]++;
    step.variable =
        variables.try_emplace(event.address, static_cast<std::uint32_t>(variables.size() + 1)).first->second;
    step.reads = reads_memory(event.kind);
    step.writes = writes_memory(event.kind) || !is_access;
    if (sources[i] != kNoStep) step.source = step_of[sources[i]];
    step_of[i] = static_cast<std::uint32_t>(result.steps.size());
    result.steps.push_back(step);
    result.events.push_back(&event);
  }
  return result;
}

AlignedSteps align(const Trace& failing, const Trace& passing) {
  AlignedSteps both{steps_of(failing), steps_of(passing)};
  const auto threads = counterparts(failing, passing);
  // Variables by their addresses: those that threads allocate lie where no other thread's allocations matter.
  std::unordered_map<Address, std::uint32_t> variables;
  const auto name_variables = [&](Steps& steps) {
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      steps.steps[i].variable =
          variables.try_emplace(steps.events[i]->address, static_cast<std::uint32_t>(variables.size() + 1))
              .first->second;
    }
  };
  name_variables(both.failing);
  name_variables(both.passing);
  std::map<ThreadId, bool> seen;
  for (Step& step : both.passing.steps) {
    const auto found = threads.find(step.thread);
    if (found != threads.end()) step.thread = found->second;
    seen[step.thread] = true;
  }
  for (const Step& step : both.failing.steps) seen[step.thread] = true;
  for (const auto& [thread, unused] : seen) {
    const auto in_failing = places_of(both.failing, thread);
    const auto in_passing = places_of(both.passing, thread);
    // Numbers on both sides: equal for steps that correspond, and growing.
    const auto pairs = matches(both.failing, in_failing, both.passing, in_passing);
    std::uint32_t next = 0;
    std::size_t f = 0, p = 0;
    const auto number_alone = [&](std::uint32_t until_f, std::uint32_t until_p) {
      for (; f < in_failing.size() && in_failing[f] < until_f; ++f)
        both.failing.steps[in_failing[f]].ordinal = next++;
      for (; p < in_passing.size() && in_passing[p] < until_p; ++p)
        both.passing.steps[in_passing[p]].ordinal = next++;
    };
    for (const auto& [in_f, in_p] : pairs) {
      number_alone(in_f, in_p);
      both.failing.steps[in_f].ordinal = both.passing.steps[in_p].ordinal = next++;
      ++f;
      ++p;
    }
    number_alone(kNoStep, kNoStep);
  }
  return both;
}

void learn_initial(const Trace& trace, std::map<Address, std::uint8_t>& initial) {
  const std::vector<std::uint32_t> sources = sources_of(trace);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& e = trace.events[i];
    if (!reads_memory(e.kind) || sources[i] != kNoStep || e.size > 8) continue;
    if (e.kind != EventKind::kPlainRead && (e.flags & event_flags::kInitial) == 0) continue;
    for (std::uint32_t byte = 0; byte < e.size; ++byte)
      initial[e.address + byte] = static_cast<std::uint8_t>(e.value >> (8 * byte));
  }
}

}  // namespace heddle::cause
