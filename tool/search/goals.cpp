#include "tool/search/goals.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/random.h"
#include "core/trace/event_kinds.h"
#include "tool/search/thread_order.h"
#include "tool/trace/held_locks.h"

namespace heddle::search {
namespace {

using constraints::Failure;
using symbolic::Record;
using symbolic::RecordKind;
using Tables = cause::TraceTables;

constexpr std::uint64_t kFirstPage = 4096;
// A trace has many pairs of accesses that look alike to us; the solver is asked about so many of each kind.
constexpr std::size_t kMostPairs = 64;
// The solver is asked about so many pairs of accesses at each pair of places, since one pair may be
// impossible where another is not.
constexpr std::size_t kMostPairsOfPlaces = 3;
constexpr std::size_t kLongestCircle = 5;  // of threads that wait for each other
constexpr std::size_t kMostCircleSteps = 100'000;

class GoalFinder {
 public:
  explicit GoalFinder(const Composition& of)
      : of_(of), held_(locks_before_each(of.trace.events)), order_(of.trace.events) {}

  std::vector<Goal> find() {
    find_conditions();
    find_races();
    find_frees();
    find_deadlocks();
    return std::move(goals_);
  }

 private:
  void find_conditions() {
    std::map<std::pair<ThreadId, std::uint64_t>, std::uint32_t> occurrences;
    for (std::uint32_t i = 0; i < of_.tables.records.size(); ++i) {
      const Record& r = of_.tables.records[i];
      Goal goal;
      goal.record = i;
      goal.place = r.pc;
      if (r.kind == RecordKind::kBranch && r.guards != 0 && r.expression != symbolic::kConcrete) {
        goal.kind = GoalKind::kAssertion;
      } else if (r.kind == RecordKind::kFailure && r.expression != symbolic::kConcrete) {
        // The path of a thread that was made to fail: it ends at the assertion.
        goal.kind = GoalKind::kAssertion;
        goal.fails_there = true;
      } else if (r.pointer != symbolic::kConcrete && of_.tables.expressions[index_of(r.pointer)].bits == 64) {
        goal.kind = GoalKind::kNullPointer;
      } else {
        continue;
      }
      goal.occurrence = occurrences[{r.thread, r.pc}]++;
      goal.thread = of_.name_of(r.thread);
      goals_.push_back(goal);
    }
  }

  void add_pair(GoalKind kind, std::uint32_t first, std::uint32_t second) {
    const TraceEvent& a = of_.trace.events[first];
    const TraceEvent& b = of_.trace.events[second];
    if (order_.is_ordered(first, second)) return;
    const std::uint64_t place = mix(a.pc, b.pc);
    if (is_wanted(kind, place))
      goals_.push_back({kind, of_.name_of(b.thread), place, 0, 0, false, a.id, b.id, {}});
  }

  bool share_a_lock(std::uint32_t a, std::uint32_t b) const {
    return std::any_of(held_[a].begin(), held_[a].end(),
                       [&](Address lock) { return held_[b].contains(lock); });
  }

  void find_races() {
    std::map<Address, std::vector<std::uint32_t>> accesses;
    for (std::uint32_t i = 0; i < of_.trace.events.size(); ++i) {
      const TraceEvent& e = of_.trace.events[i];
      if (!accesses_memory(e.kind)) continue;
      for (const std::uint32_t other : accesses[e.address]) {
        const TraceEvent& o = of_.trace.events[other];
        if (o.thread == e.thread || (!writes_memory(o.kind) && !writes_memory(e.kind))) continue;
        if (!is_plain_access(o.kind) && !is_plain_access(e.kind)) continue;
        if (!share_a_lock(other, i)) add_pair(GoalKind::kRace, other, i);
      }
      accesses[e.address].push_back(i);
    }
  }

  void find_frees() {
    for (std::uint32_t i = 0; i < of_.trace.events.size(); ++i) {
      const TraceEvent& freed = of_.trace.events[i];
      if (freed.kind != EventKind::kFree) continue;
      std::uint64_t size = 0;
      for (std::uint32_t k = 0; k < i; ++k) {
        const TraceEvent& e = of_.trace.events[k];
        if (e.kind == EventKind::kAllocate && e.address == freed.address) size = e.value;
      }
      for (std::uint32_t k = 0; k < of_.trace.events.size(); ++k) {
        const TraceEvent& e = of_.trace.events[k];
        const bool is_inside = e.address >= freed.address && e.address < freed.address + size;
        if (accesses_memory(e.kind) && is_inside && e.thread != freed.thread)
          add_pair(GoalKind::kUseAfterFree, i, k);
      }
    }
  }

  // Circles of threads each of which wants a lock while it holds the one that another wants.
  void find_deadlocks() {
    std::map<std::tuple<ThreadId, Address, std::set<Address>>, std::size_t> alike;
    for (std::uint32_t i = 0; i < of_.trace.events.size(); ++i) {
      const TraceEvent& e = of_.trace.events[i];
      if (!takes_lock(e.kind) || held_[i].empty() || held_[i].contains(e.address)) continue;
      if (++alike[{e.thread, e.address, held_[i]}] > kMostPairsOfPlaces) continue;
      for (const Address lock : held_[i]) holders_[lock].push_back(i);
      nested_.push_back(i);
    }
    std::size_t steps = kMostCircleSteps;
    for (const std::uint32_t first : nested_) {
      std::vector<std::uint32_t> circle{first};
      close_circles(circle, steps);
    }
  }

  // Each circle once: from its first attempt.
  void close_circles(std::vector<std::uint32_t>& circle, std::size_t& steps) {
    const Address wanted = of_.trace.events[circle.back()].address;
    if (held_[circle.front()].contains(wanted) && circle.size() > 1) {
      add_circle(circle);
      return;
    }
    if (circle.size() == kLongestCircle) return;
    const auto holders = holders_.find(wanted);
    if (holders == holders_.end()) return;
    for (const std::uint32_t next : holders->second) {
      if (steps == 0) return;
      --steps;
      const bool fits =
          next > circle.front() && std::all_of(circle.begin(), circle.end(), [&](std::uint32_t member) {
            return of_.trace.events[member].thread != of_.trace.events[next].thread &&
                   !share_a_lock(member, next) && !order_.is_ordered(member, next);
          });
      if (!fits) continue;
      circle.push_back(next);
      close_circles(circle, steps);
      circle.pop_back();
    }
  }

  void add_circle(const std::vector<std::uint32_t>& circle) {
    std::uint64_t place = 0;
    for (const std::uint32_t i : circle) place = mix(place, of_.trace.events[i].pc);
    if (!is_wanted(GoalKind::kDeadlock, place)) return;
    Goal goal;
    goal.kind = GoalKind::kDeadlock;
    goal.thread = of_.name_of(of_.trace.events[circle.back()].thread);
    goal.place = place;
    for (const std::uint32_t i : circle) goal.circle.push_back(of_.trace.events[i].id);
    goals_.push_back(std::move(goal));
  }

  bool is_wanted(GoalKind kind, std::uint64_t place) {
    return ++seen_[{kind, place}] <= kMostPairsOfPlaces && ++count_[kind] <= kMostPairs;
  }

  const Composition& of_;
  std::vector<std::set<Address>> held_;
  std::vector<Goal> goals_;
  ThreadOrder order_;
  std::vector<std::uint32_t> nested_;                      // takes of locks while others are held
  std::map<Address, std::vector<std::uint32_t>> holders_;  // the same takes, by each lock that is held
  std::map<std::pair<GoalKind, std::uint64_t>, std::size_t> seen_;  // pairs of places
  std::map<GoalKind, std::size_t> count_;
};

void forget(Record& record) {
  record.kind = RecordKind::kFolded;
  record.expression = record.symbol = record.pointer = symbolic::kConcrete;
}

// A symbol whose record is gone is the value that it had.
void forget_symbols(Tables& tables) {
  for (symbolic::Expression& e : tables.expressions) {
    if (e.op != symbolic::Operator::kSymbol) continue;
    if (tables.records[index_of(e.operands[0])].kind != RecordKind::kFolded) continue;
    e.op = symbolic::Operator::kConstant;
    e.operands[0] = symbolic::kConcrete;
  }
}

std::optional<EventId> first_event_from(const Tables& tables, ThreadId thread, std::uint32_t from) {
  for (std::uint32_t i = from; i < tables.events.size(); ++i) {
    if (tables.events[i].thread == thread && tables.events[i].kind != EventKind::kNone) return EventId{i};
  }
  return std::nullopt;
}

// `thread` does nothing from event number `from` on.
bool stop(Tables& tables, ThreadId thread, std::uint32_t from) {
  const auto first = first_event_from(tables, thread, from);
  if (!first) return true;
  auto shorter = cause::truncated(std::move(tables), thread, *first, kNoThread);
  if (!shorter) return false;
  tables = std::move(*shorter);
  return true;
}

void stop_others(const Composition& of, Tables& tables, ThreadId thread, std::uint32_t from) {
  for (const auto& [name, own] : of.threads) {
    if (own.thread != thread) stop(tables, own.thread, from);
  }
}

// The path of the record's thread ends at it, and what it decided is the failure.
std::optional<constraints::SymbolicTrace> ask_at_record(const Composition& of, std::uint32_t index,
                                                        Others others, bool negate) {
  Tables tables = of.tables;
  const Record at = tables.records[index];
  const std::uint32_t after = at.event == kNoEvent ? 0 : index_of(at.event) + 1;
  for (std::uint32_t i = index + 1; i < tables.records.size(); ++i) {
    if (tables.records[i].thread == at.thread) forget(tables.records[i]);
  }
  forget_symbols(tables);
  if (!stop(tables, at.thread, after)) return std::nullopt;
  if (others == Others::kStopThen) stop_others(of, tables, at.thread, after);
  for (Record& record : tables.records) {
    if (record.kind == RecordKind::kFailure) forget(record);
  }
  Record& failure = tables.records[index];
  failure = at;
  failure.kind = RecordKind::kFailure;
  failure.holds = (failure.holds != 0) != negate ? 1 : 0;
  auto trace = constraints_of(of, tables, {});
  if (!trace || trace->bug.condition.expression == symbolic::kConcrete) return std::nullopt;
  return std::move(*trace);
}

// The access that the record is of does not happen: its address is in the first page.
std::optional<constraints::SymbolicTrace> ask_for_null(const Composition& of, std::uint32_t index,
                                                       Others others) {
  Composition with = of;
  Tables& tables = with.tables;
  const auto add = [&](symbolic::Expression e) {
    tables.expressions.push_back(e);
    return symbolic::ExpressionId{static_cast<std::uint32_t>(tables.expressions.size() - 1)};
  };
  Record& record = tables.records[index];
  symbolic::Expression limit;
  limit.bits = 64;
  limit.value = kFirstPage;
  symbolic::Expression less;
  less.op = symbolic::Operator::kLessUnsigned;
  less.bits = 1;
  less.operands[0] = record.pointer;
  less.operands[1] = add(limit);
  const std::uint32_t event = index_of(record.event);
  const ThreadId thread = record.thread;
  record.kind = RecordKind::kBranch;
  record.symbol = record.pointer = symbolic::kConcrete;
  record.expression = add(less);
  record.holds = 0;
  // It comes before the access: after whatever the thread did last.
  record.event = kNoEvent;
  for (std::uint32_t i = 0; i < event; ++i) {
    if (tables.events[i].thread == thread) record.event = EventId{i};
  }
  // (What was read there has no symbol any more.)
  for (symbolic::Expression& e : tables.expressions) {
    if (e.op == symbolic::Operator::kSymbol && index_of(e.operands[0]) == index) {
      e.op = symbolic::Operator::kConstant;
      e.operands[0] = symbolic::kConcrete;
    }
  }
  return ask_at_record(with, index, others, true);
}

}  // namespace

const char* to_string(GoalKind kind) {
  switch (kind) {
    case GoalKind::kAssertion:
      return "assertion";
    case GoalKind::kNullPointer:
      return "null pointer";
    case GoalKind::kRace:
      return "data race";
    case GoalKind::kUseAfterFree:
      return "use after free";
    case GoalKind::kDeadlock:
      return "deadlock";
  }
  return "";
}

std::vector<Goal> goals_of(const Composition& of) { return GoalFinder(of).find(); }

std::optional<Goal> find_goal(const Composition& of, const Goal& wanted) {
  std::optional<Goal> best;
  for (const Goal& goal : goals_of(of)) {
    if (goal.kind != wanted.kind || goal.thread != wanted.thread) continue;
    if (goal.fails_there) return goal;
    if (goal.place != wanted.place) continue;
    // Where the path comes by less often, the last time is it.
    if (goal.occurrence <= wanted.occurrence) best = goal;
  }
  return best;
}

std::optional<constraints::SymbolicTrace> ask_for(const Composition& of, const Goal& goal, Others others) {
  if (goal.kind == GoalKind::kAssertion) return ask_at_record(of, goal.record, others, !goal.fails_there);
  if (goal.kind == GoalKind::kNullPointer) return ask_for_null(of, goal.record, others);
  if (others == Others::kStopThen) return std::nullopt;
  Tables tables = of.tables;
  Failure failure;
  if (goal.kind == GoalKind::kDeadlock) {
    failure.first = goal.circle.front();
    failure.second = goal.circle.back();
  } else {
    failure.first = goal.first;
    failure.second = goal.second;
  }
  failure.kind = goal.kind == GoalKind::kRace           ? constraints::BugKind::kRace
                 : goal.kind == GoalKind::kUseAfterFree ? constraints::BugKind::kUseAfterFree
                                                        : constraints::BugKind::kDeadlock;
  if (goal.kind == GoalKind::kDeadlock) {
    for (const EventId id : goal.circle) {
      const Event& attempt = of.tables.events[index_of(id)];
      failure.waiters.push_back({attempt.thread, attempt.address});
      if (!stop(tables, attempt.thread, index_of(id))) return std::nullopt;
    }
  }
  auto trace = constraints_of(of, tables, failure);
  if (!trace) return std::nullopt;
  return std::move(*trace);
}

std::optional<constraints::SymbolicTrace> ask_for_flip(const Composition& of, std::uint32_t record,
                                                       Others others) {
  return ask_at_record(of, record, others, true);
}

std::uint32_t record_from(const ThreadPath& own, std::size_t at) {
  while (at < own.records.size() && own.records[at] == kNoRecord) ++at;
  return at < own.records.size() ? own.records[at] : kNoRecord;
}

PathEnd end_before(const Composition& of, const ThreadPath& own, std::size_t at) {
  PathEnd end{record_from(own, at), own.events[at]};
  if (end.event == kNoEvent || (at != 0 && own.events[at - 1] == end.event)) return end;
  std::uint32_t before = index_of(end.event);
  while (before > 0 && of.trace.events[before - 1].thread != own.thread) --before;
  end.event = before == 0 ? kNoEvent : EventId{before - 1};
  return end;
}

std::optional<Composition> ending_at(const Composition& of, const std::map<ThreadId, PathEnd>& ends) {
  Composition shorter = of;
  for (const auto& [thread, end] : ends) {
    for (std::uint32_t i = end.record; i < shorter.tables.records.size(); ++i) {
      if (shorter.tables.records[i].thread == thread) forget(shorter.tables.records[i]);
    }
    forget_symbols(shorter.tables);
    if (!stop(shorter.tables, thread, end.event == kNoEvent ? 0 : index_of(end.event) + 1))
      return std::nullopt;
  }
  return shorter;
}

std::optional<constraints::SymbolicTrace> ask_for_flip_within(const Composition& of, std::uint32_t record,
                                                              const std::map<ThreadId, PathEnd>& ends) {
  std::map<ThreadId, PathEnd> of_others = ends;
  of_others.erase(of.tables.records[record].thread);
  const auto shorter = ending_at(of, of_others);
  return shorter ? ask_at_record(*shorter, record, Others::kWhole, true) : std::nullopt;
}

}  // namespace heddle::search
