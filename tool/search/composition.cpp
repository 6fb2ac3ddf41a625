#include "tool/search/composition.h"

#include <algorithm>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/cause/steps.h"

namespace heddle::search {
namespace {

using symbolic::Expression;
using symbolic::ExpressionId;
using symbolic::Record;

// What one thread did, in one of the executions.
struct Lane {
  std::string name;
  ThreadId thread = kMainThread;  // here
  ThreadId there = kMainThread;
  const TracedRun* run = nullptr;
  std::vector<std::uint32_t> events;  // positions there
  std::vector<std::uint32_t> wanted;  // when each should come, in the order of the base
  std::size_t next = 0;

  bool is_over() const { return next == events.size(); }
  const TraceEvent& event() const { return run->trace.events[events[next]]; }
};

std::vector<std::uint32_t> events_of(const TracedRun& run, ThreadId thread) {
  std::vector<std::uint32_t> events;
  for (std::uint32_t i = 0; i < run.trace.events.size(); ++i) {
    if (run.trace.events[i].thread == thread) events.push_back(i);
  }
  return events;
}

// Lets threads go on one event at a time, each when it could have: created, and not past what it waits for.
// Everything that the solver takes as forced is so in the order that comes of it.
class Interleaving {
 public:
  explicit Interleaving(std::vector<Lane>& lanes) : lanes_(lanes) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      for (const std::uint32_t at : lanes[i].events) {
        const TraceEvent& e = lanes[i].run->trace.events[at];
        if (e.kind == EventKind::kThreadCreate) creators_.insert(child_of(lanes[i], e.other));
        if (e.kind == EventKind::kAllocate) pending_[e.address] = e.value;
      }
    }
  }

  // The lane whose event is next; none: all are over.
  Lane* pick() {
    Lane* best = nullptr;
    Lane* otherwise = nullptr;
    for (Lane& lane : lanes_) {
      if (lane.is_over()) continue;
      const auto earlier = [&](const Lane* than) {
        return than == nullptr || lane.wanted[lane.next] < than->wanted[than->next];
      };
      if (earlier(otherwise)) otherwise = &lane;
      if (can_go(lane) && earlier(best)) best = &lane;
    }
    return best != nullptr ? best : otherwise;
  }

  void went(const Lane& lane, const TraceEvent& e) {
    switch (e.kind) {
      case EventKind::kThreadCreate:
        created_.insert(child_of(lane, e.other));
        break;
      case EventKind::kMutexLock:
      case EventKind::kRwlockWriteLock:
        owner_[e.address] = &lane;
        break;
      case EventKind::kMutexUnlock:
      case EventKind::kRwlockUnlock:
        owner_.erase(e.address);
        break;
      case EventKind::kCondWait:
        owner_.erase(e.value);
        break;
      case EventKind::kAllocate:
        pending_.erase(e.address);
        break;
      default:
        break;
    }
  }

 private:
  static std::string child_of(const Lane& lane, ThreadId child) { return lane.run->name_of(child); }

  bool can_go(const Lane& lane) const {
    const TraceEvent& e = lane.event();
    if (lane.next == 0 && creators_.contains(lane.name) && !created_.contains(lane.name)) return false;
    switch (e.kind) {
      case EventKind::kThreadJoin: {
        const std::string child = child_of(lane, e.other);
        return std::none_of(lanes_.begin(), lanes_.end(),
                            [&](const Lane& l) { return l.name == child && !l.is_over(); });
      }
      case EventKind::kMutexLock:
      case EventKind::kRwlockReadLock:
      case EventKind::kRwlockWriteLock: {
        const auto owner = owner_.find(e.address);
        return owner == owner_.end() || owner->second == &lane;
      }
      default:
        break;
    }
    if (!accesses_memory(e.kind)) return true;
    auto block = pending_.upper_bound(e.address);
    if (block == pending_.begin()) return true;
    --block;
    return e.address >= block->first + block->second;
  }

  std::vector<Lane>& lanes_;
  std::set<std::string> creators_;            // threads that somebody creates
  std::set<std::string> created_;             // threads that somebody has created
  std::map<Address, const Lane*> owner_;      // of locks
  std::map<Address, std::uint64_t> pending_;  // blocks that are not allocated yet
};

// Where in the base a thread's events were, as far as it did the same; the rest follows at once.
void want_as_in(const TracedRun& base, Lane& lane) {
  const auto there = base.threads.find(lane.name);
  std::vector<std::uint32_t> own;
  if (there != base.threads.end()) own = events_of(base, there->second.thread);
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < lane.events.size(); ++i) {
    const TraceEvent& e = lane.run->trace.events[lane.events[i]];
    if (i < own.size() && base.trace.events[own[i]].pc == e.pc && base.trace.events[own[i]].kind == e.kind) {
      last = own[i];
    } else {
      own.resize(std::min(own.size(), i));
    }
    lane.wanted.push_back(last);
  }
}

// Copies records and expressions of threads of one run behind those that are there.
class TableCopy {
 public:
  TableCopy(Composition& to, const TracedRun& run, const std::map<std::uint32_t, EventId>& events)
      : to_(to), run_(run), events_(events), record_of_(run.tables.records.size(), kNone) {
    first_ = static_cast<std::uint32_t>(to.tables.expressions.size());
    for (std::size_t i = 1; i < run.tables.expressions.size(); ++i) {
      Expression e = run.tables.expressions[i];
      if (e.op != symbolic::Operator::kSymbol) {
        for (ExpressionId& operand : e.operands) operand = moved(operand);
      }
      to.tables.expressions.push_back(e);
    }
  }

  void take(std::uint32_t index, ThreadId as) {
    Record record = run_.tables.records[index];
    const auto event = record.event == kNoEvent ? events_.end() : events_.find(index_of(record.event));
    if (record.event != kNoEvent && event == events_.end()) return;
    if (record.event != kNoEvent) record.event = event->second;
    record.thread = as;
    for (ExpressionId* id : {&record.expression, &record.symbol, &record.pointer}) *id = moved(*id);
    record_of_[index] = static_cast<std::uint32_t>(to_.tables.records.size());
    to_.tables.records.push_back(record);
  }
  std::uint32_t place_of(std::uint32_t index) const { return record_of_[index]; }
  static constexpr std::uint32_t kNone = ~0u;

  // Symbols of what other threads read have their value, and no more.
  void name_symbols() {
    for (std::size_t i = 1; i < run_.tables.expressions.size(); ++i) {
      Expression& e = to_.tables.expressions[first_ + i - 1];
      if (e.op != symbolic::Operator::kSymbol) continue;
      const std::uint32_t record = index_of(e.operands[0]);
      if (record < record_of_.size() && record_of_[record] != kNone) {
        e.operands[0] = ExpressionId{record_of_[record]};
      } else {
        e.op = symbolic::Operator::kConstant;
        e.operands[0] = symbolic::kConcrete;
      }
    }
  }

 private:
  ExpressionId moved(ExpressionId id) const {
    return id == symbolic::kConcrete ? id : ExpressionId{index_of(id) + first_ - 1};
  }

  Composition& to_;
  const TracedRun& run_;
  const std::map<std::uint32_t, EventId>& events_;
  std::vector<std::uint32_t> record_of_;
  std::uint32_t first_ = 0;
};

std::vector<Lane> lanes_of(const TracedRun& base, std::span<const Replacement> replacements) {
  std::vector<Lane> lanes;
  std::uint32_t next = 0;
  for (const auto& [name, own] : base.threads) next = std::max(next, index_of(own.thread) + 1u);
  const auto add = [&](const std::string& name, const TracedRun& run) {
    const auto here = base.threads.find(name);
    const ThreadId thread =
        here != base.threads.end() ? here->second.thread : ThreadId{static_cast<std::uint16_t>(next++)};
    const ThreadId there = run.threads.at(name).thread;
    lanes.push_back({name, thread, there, &run, events_of(run, there), {}, 0});
    want_as_in(base, lanes.back());
  };
  for (const auto& [name, own] : base.threads) {
    const TracedRun* run = &base;
    for (const Replacement& r : replacements) {
      if (r.thread == name) run = r.run;
    }
    add(name, *run);
  }
  // Threads that only the other path creates come with it.
  for (const Replacement& r : replacements) {
    for (const auto& [name, own] : r.run->threads) {
      const bool is_child = name.rfind(r.thread + ".", 0) == 0;
      const bool known =
          std::any_of(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.name == name; });
      if (is_child && !known) add(name, *r.run);
    }
  }
  return lanes;
}

}  // namespace

const std::string& Composition::name_of(ThreadId thread) const {
  static const std::string kNone;
  for (const auto& [name, own] : threads) {
    if (own.thread == thread) return name;
  }
  return kNone;
}

void learn_initial(const TracedRun& run, std::map<Address, std::uint8_t>& initial) {
  cause::learn_initial(run.trace, initial);
}

Composition composition_of(const TracedRun& run, const std::map<Address, std::uint8_t>& initial) {
  Composition result;
  result.initial = initial;
  result.trace.events = run.trace.events;
  result.tables = {
      {run.trace.events.begin(), run.trace.events.end()}, run.tables.expressions, run.tables.records};
  result.threads = run.threads;
  result.decisions = run.decisions;
  return result;
}

Composition compose(const TracedRun& base, std::span<const Replacement> replacements,
                    const std::map<Address, std::uint8_t>& initial) {
  Composition result;
  result.is_composed = true;
  result.initial = initial;
  result.tables.expressions.emplace_back();
  std::vector<Lane> lanes = lanes_of(base, replacements);
  const auto here_of = [&](const TracedRun& run, ThreadId there) {
    const std::string& name = run.name_of(there);
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& l) { return l.name == name; });
    return name.empty() || lane == lanes.end() ? kNoThread : lane->thread;
  };
  std::map<const TracedRun*, std::vector<std::uint32_t>> sources;
  std::map<const TracedRun*, std::map<std::uint32_t, EventId>> placed;
  for (const Lane& lane : lanes) {
    if (!sources.contains(lane.run)) sources[lane.run] = cause::sources_of(lane.run->trace);
  }
  Interleaving interleaving(lanes);
  while (Lane* lane = interleaving.pick()) {
    const std::uint32_t at = lane->events[lane->next];
    TraceEvent e = lane->run->trace.events[at];
    interleaving.went(*lane, e);
    ++lane->next;
    e.thread = lane->thread;
    if (e.other != kNoThread) e.other = here_of(*lane->run, e.other);
    auto& places = placed[lane->run];
    e.flags &= static_cast<std::uint8_t>(~event_flags::kInitial);
    if (reads_memory(e.kind)) {
      const std::uint32_t source = sources[lane->run][at];
      if (source == cause::kNoStep && !lane->run->is_injected) e.flags |= event_flags::kInitial;
    }
    const auto source = e.reads_from == kNoEvent ? places.end() : places.find(index_of(e.reads_from));
    e.reads_from = source == places.end() ? kNoEvent : source->second;
    e.id = EventId{static_cast<std::uint32_t>(result.trace.events.size())};
    places[at] = e.id;
    result.trace.events.push_back(e);
  }
  result.tables.events.assign(result.trace.events.begin(), result.trace.events.end());
  // Records in program order of each thread; thread after thread is as good as any.
  std::set<const TracedRun*> done;
  for (const Lane& first : lanes) {
    if (!done.insert(first.run).second) continue;
    TableCopy tables(result, *first.run, placed[first.run]);
    for (const Lane& lane : lanes) {
      if (lane.run != first.run) continue;
      for (std::uint32_t i = 0; i < lane.run->tables.records.size(); ++i) {
        if (lane.run->tables.records[i].thread == lane.there) tables.take(i, lane.thread);
      }
      const auto placed_here = [&](ThreadPath path) {
        path.thread = lane.thread;
        for (std::uint32_t& record : path.records) {
          if (record != kNoRecord) record = tables.place_of(record);
        }
        for (EventId& event : path.events) {
          if (event != kNoEvent) event = placed[lane.run].at(index_of(event));
        }
        return path;
      };
      result.threads[lane.name] = placed_here(lane.run->threads.at(lane.name));
      const auto decisions = lane.run->decisions.find(lane.name);
      if (decisions != lane.run->decisions.end())
        result.decisions[lane.name] = placed_here(decisions->second);
    }
    tables.name_symbols();
  }
  return result;
}

Result<constraints::SymbolicTrace> constraints_of(const Composition& of, const cause::TraceTables& tables,
                                                  const constraints::Failure& failure) {
  auto trace = constraints::symbolic_trace(tables.events, tables.expressions, tables.records, failure);
  if (!trace) return trace;
  trace->is_composed = of.is_composed;
  trace->initial = of.initial;
  return trace;
}

}  // namespace heddle::search
