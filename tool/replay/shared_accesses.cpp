#include "tool/replay/shared_accesses.h"

#include <algorithm>
#include <limits>
#include <map>

namespace heddle::replay {
namespace {

constexpr std::size_t kMostAccesses = 20'000;  // the last ones are kept: a failure's causes are near its end

bool is_plain_event(EventKind kind) {
  return kind == EventKind::kPlainRead || kind == EventKind::kPlainWrite;
}

// The stacks of one trace in another one, each once.
class StackMover {
 public:
  StackMover(const Trace& from, Trace& to) : from_(from), to_(to) {}

  StackId moved(StackId stack) {
    if (stack == kEmptyStack) return stack;
    const auto known = moved_.find(stack);
    if (known != moved_.end()) return known->second;
    // Callers first: the walk ends, as a caller's index is smaller.
    std::vector<StackId> path;
    for (StackId at = stack; at != kEmptyStack && !moved_.contains(at); at = node(at).caller)
      path.push_back(at);
    for (auto at = path.rbegin(); at != path.rend(); ++at) {
      const StackId caller = node(*at).caller;
      to_.stacks.push_back({node(*at).pc, caller == kEmptyStack ? caller : moved_.at(caller)});
      moved_[*at] = StackId{static_cast<std::uint32_t>(to_.stacks.size() - 1)};
    }
    return moved_.at(stack);
  }

 private:
  const TraceStackNode& node(StackId stack) const { return from_.stacks[index_of(stack)]; }

  const Trace& from_;
  Trace& to_;
  std::map<StackId, StackId> moved_;
};

void add_symbols(const Symbols& from, Symbols& to) {
  to.frames.insert(from.frames.begin(), from.frames.end());
  to.data.insert(from.data.begin(), from.data.end());
  for (const auto& [file, lines] : from.sources) to.sources[file].insert(lines.begin(), lines.end());
}

// The events of both, but for the plain ones, are the same.
bool is_same_execution(const Trace& trace, const run::SingleRun& again) {
  const auto plain = static_cast<std::uint64_t>(
      std::ranges::count_if(again.trace.events, [](const TraceEvent& e) { return is_plain_event(e.kind); }));
  return again.result.ending == trace.result.ending &&
         again.trace.events.size() == again.trace.total_events &&
         again.trace.total_events - plain == trace.total_events;
}

}  // namespace

void add_shared_accesses(const run::Target& target, Trace& trace, double seconds) {
  // Both runs look at every access, which costs some ten times the time.
  constexpr double kSlower = 2 * 10;
  if (static_cast<double>(trace.result.duration_us) * 1e-6 * kSlower > seconds || !trace.accesses.empty())
    return;
  RunSpec spec = trace.spec;
  spec.replay = ReplayKind::kExact;
  spec.plain_events = PlainEvents::kShared;
  spec.timeout_ns = std::min(spec.timeout_ns, static_cast<std::uint64_t>(seconds * 1e9));
  run::SingleOptions options;
  options.index = trace.execution;
  options.replay = trace.choices;
  options.kept_events = std::numeric_limits<std::size_t>::max();
  auto again = run::run_single(target, spec, options);
  if (!again || !is_same_execution(trace, *again)) return;

  StackMover stacks(again->trace, trace);
  std::uint32_t plain_before = 0;
  EventId last = kNoEvent;
  for (const TraceEvent& event : again->trace.events) {
    if (!is_plain_event(event.kind)) {
      last = EventId{index_of(event.id) - plain_before};
      continue;
    }
    ++plain_before;
    trace.accesses.push_back({last, event.thread, event.kind == EventKind::kPlainWrite, event.size, event.pc,
                              stacks.moved(event.stack), event.address, event.value});
  }
  if (trace.accesses.size() > kMostAccesses)
    trace.accesses.erase(trace.accesses.begin(),
                         trace.accesses.end() - static_cast<std::ptrdiff_t>(kMostAccesses));
  add_symbols(again->trace.symbols, trace.symbols);
}

}  // namespace heddle::replay
