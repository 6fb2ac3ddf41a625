#include "tool/cause/remedy.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/trace/stack_view.h"

namespace heddle::cause {
namespace {

using Positions = std::vector<std::uint32_t>;  // in Trace::events

bool is_atomic(const Event& event) {
  return event.kind == EventKind::kAtomicLoad || event.kind == EventKind::kAtomicStore ||
         event.kind == EventKind::kAtomicUpdate || event.kind == EventKind::kCasFailed ||
         event.kind == EventKind::kFence;
}

// Does the thread wait for its turn to do it?
bool takes_turn(const Event& event) {
  switch (event.kind) {
    case EventKind::kPlainRead:
    case EventKind::kPlainWrite:
    case EventKind::kThreadStart:
    case EventKind::kThreadEnd:
    case EventKind::kAllocate:
    case EventKind::kFree:
    case EventKind::kNote:
    case EventKind::kOutcome:
    case EventKind::kFinding:
    case EventKind::kExit:
    case EventKind::kCondWake:
    case EventKind::kNone:
      return false;
    default:
      return true;
  }
}

// The strongest that this operation can use.
MemoryOrder useful_order(EventKind kind, MemoryOrder order) {
  if (order == MemoryOrder::kAcqRel && kind == EventKind::kAtomicLoad) return MemoryOrder::kAcquire;
  if (order == MemoryOrder::kAcqRel && kind == EventKind::kAtomicStore) return MemoryOrder::kRelease;
  return order;
}

ShownOperation shown(const Trace& trace, std::uint64_t pc, StackId stack, Address address) {
  ShownOperation operation;
  const std::vector<Frame> frames = visible_frames(trace, pc, stack);
  if (const Frame* frame = deciding_frame(frames)) operation.frame = *frame;
  const auto symbol = trace.symbols.data.find(address);
  if (symbol != trace.symbols.data.end()) operation.variable = symbol->second.name;
  return operation;
}

ShownOperation shown(const Trace& trace, const TraceEvent& event) {
  ShownOperation operation = shown(trace, event.pc, event.stack, event.address);
  operation.event = event;
  return operation;
}

bool is_same_line(const Frame& a, const Frame& b) {
  return a.line != 0 && a.line == b.line && a.column == b.column && a.file == b.file;
}

// Return addresses, the outermost first: each stands for a function that has not returned.
std::vector<std::uint64_t> calls_of(const Trace& trace, StackId stack) {
  std::vector<std::uint64_t> calls;
  for (StackId at = stack; at != kEmptyStack; at = trace.stacks[index_of(at)].caller)
    calls.push_back(trace.stacks[index_of(at)].pc);
  std::reverse(calls.begin(), calls.end());
  return calls;
}

class RemedySearch {
 public:
  RemedySearch(const run::Target& target, Explanation& explanation, const RemedyOptions& options)
      : failing_(explanation.failing.trace),
        explanation_(explanation),
        options_(options),
        trials_(target, failing_, options.trials) {}

  void run();

 private:
  bool helps(const Rules& rules) {
    const Trials::Outcome outcome = trials_.try_rules(rules);
    if (outcome.shows && outcome.trace) last_failure_ = outcome.trace;
    return outcome.known && !outcome.shows;
  }
  bool accept(RemedyKind kind, std::vector<RemedyPart> parts);
  static Rules rules_of(const std::vector<RemedyPart>& parts);

  bool try_orders();
  bool try_orders(MemoryOrder strongest);
  void add_order_places(const Trace& trace, MemoryOrder strongest);
  bool shrink_orders();
  void weaken_orders();
  std::optional<RemedyPart> lock_of_race(const Trace& trace) const;
  bool try_lock();
  bool try_locks_together();
  RemedyPart stretch(const TraceEvent& first, std::uint64_t pc, StackId stack, Address address) const;
  bool try_together(bool only_conflicting);
  bool try_after();
  struct Gap {
    ThreadId thread;
    Positions before, after;  // operations that wait for their turn, the nearest first
    // Somebody wrote in it what the thread touched before and after.
    const TraceEvent* first_access = nullptr;
    const TraceEvent* last_access = nullptr;
    bool conflicts = false;
  };
  std::vector<Gap> gaps() const;
  void find_conflict(Gap& gap, const Positions& own_before, const Positions& own_after,
                     const Positions& others) const;
  bool try_gap(const Gap& gap, std::size_t reach);
  static std::size_t threads_at(const Trace& trace, const TraceEvent& event);
  std::vector<CodePlace> siblings(const ShownOperation& operation, const CodePlace& place) const;
  std::vector<RemedyPart> with_siblings(const RemedyPart& part) const;
  const TraceEvent* turn_at_or_before(const Trace& trace, const TraceEvent& event) const;
  const TraceEvent* turn_at_or_after(const Trace& trace, const TraceEvent& event) const;
  void say(const char* what) const {
    if (options_.on_step) options_.on_step(what);
  }

  const Trace& failing_;
  Explanation& explanation_;
  const RemedyOptions& options_;
  Trials trials_;
  std::vector<RemedyPart> orders_;
  std::optional<Trace> last_failure_;
};

Rules RemedySearch::rules_of(const std::vector<RemedyPart>& parts) {
  Rules rules;
  for (const RemedyPart& part : parts) rules.push_back(part.rule);
  return rules;
}

// What looks right is tried at length.
bool RemedySearch::accept(RemedyKind kind, std::vector<RemedyPart> parts) {
  say("trying the remedy at length");
  const Trials::Outcome outcome =
      trials_.explore(rules_of(parts), options_.executions, options_.trials.seconds / 3);
  if (outcome.shows || outcome.executions == 0) return false;
  Remedy remedy;
  remedy.kind = kind;
  remedy.parts = std::move(parts);
  remedy.executions = outcome.executions;
  remedy.is_complete = outcome.is_complete;
  remedy.other_bugs = outcome.other_bugs;
  explanation_.remedy = std::move(remedy);
  return true;
}

// --- memory orders

void RemedySearch::add_order_places(const Trace& trace, MemoryOrder strongest) {
  for (const TraceEvent& event : trace.events) {
    if (!is_atomic(event) || is_seq_cst(event.order)) continue;
    const MemoryOrder order = useful_order(event.kind, strongest);
    if (join_of(order, event.order) == event.order) continue;
    const CodePlace place = place_of(trace, event);
    const bool known = std::any_of(orders_.begin(), orders_.end(),
                                   [&](const RemedyPart& part) { return part.rule.place == place; });
    if (known || orders_.size() == kMostRules) continue;
    RemedyPart part;
    part.rule.kind = RuleKind::kStrengthen;
    part.rule.place = place;
    part.rule.order = order;
    part.was = event.order;
    part.shown = shown(trace, event);
    orders_.push_back(std::move(part));
  }
}

// Takes away what is not needed, first all that is not in the projection, then one by one.
bool RemedySearch::shrink_orders() {
  std::vector<RemedyPart> near;
  for (const RemedyPart& part : orders_) {
    const auto& kept = explanation_.failing.kept;
    const bool is_kept = std::any_of(kept.begin(), kept.end(), [&](EventId id) {
      const TraceEvent* event = failing_.find_event(id);
      return event != nullptr && event->pc == part.rule.place.pc;
    });
    if (is_kept) near.push_back(part);
  }
  if (!near.empty() && near.size() < orders_.size() && helps(rules_of(near))) orders_ = near;
  for (std::size_t i = orders_.size(); i-- > 0 && trials_.time_left();) {
    std::vector<RemedyPart> fewer = orders_;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (!fewer.empty() && helps(rules_of(fewer))) orders_ = std::move(fewer);
  }
  return trials_.time_left();
}

void RemedySearch::weaken_orders() {
  const auto with_order = [&](std::size_t at, MemoryOrder order) {
    std::vector<RemedyPart> weaker = orders_;
    weaker[at].rule.order = order;
    return weaker;
  };
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const EventKind kind = orders_[i].shown.event.kind;
    for (const MemoryOrder order : {MemoryOrder::kAcquire, MemoryOrder::kRelease, MemoryOrder::kAcqRel}) {
      const bool is_weaker = join_of(order, orders_[i].rule.order) != order;
      const bool fits_load = kind != EventKind::kAtomicLoad || order == MemoryOrder::kAcquire;
      const bool fits_store = kind != EventKind::kAtomicStore || order == MemoryOrder::kRelease;
      const bool is_of_use = fits_load && fits_store && join_of(order, orders_[i].was) != orders_[i].was;
      if (!is_weaker || !is_of_use || !trials_.time_left()) continue;
      const auto weaker = with_order(i, order);
      if (!helps(rules_of(weaker))) continue;
      orders_ = weaker;
      break;
    }
  }
}

// Acquire and release first: they say most about what was meant, and cost least.
bool RemedySearch::try_orders() {
  if (failing_.spec.model == ModelKind::kSc) return false;
  return try_orders(MemoryOrder::kAcqRel) || try_orders(MemoryOrder::kSeqCst);
}

bool RemedySearch::try_orders(MemoryOrder strongest) {
  orders_.clear();
  add_order_places(failing_, strongest);
  if (orders_.empty()) return false;
  say(strongest == MemoryOrder::kSeqCst ? "trying seq_cst" : "trying acquire and release");
  EnforcedRule all;
  all.kind = RuleKind::kStrengthen;
  all.order = strongest;
  if (!helps({all})) return false;
  // Other executions show the bug at other places.
  constexpr int kMostRounds = 8;
  bool enough = false;
  for (int round = 0; round < kMostRounds && !(enough = helps(rules_of(orders_))); ++round) {
    const std::size_t before = orders_.size();
    if (last_failure_) add_order_places(*last_failure_, strongest);
    if (orders_.size() == before) break;
  }
  if (!enough) return false;
  say("finding out which of them matter");
  if (!shrink_orders()) return false;
  weaken_orders();
  for (RemedyPart& part : orders_) part.rule.order = join_of(part.rule.order, part.was);
  return accept(RemedyKind::kOrders, orders_);
}

// --- plain accesses that race

std::optional<RemedyPart> RemedySearch::lock_of_race(const Trace& trace) const {
  const TraceFinding& finding = trace.findings.front();
  std::vector<const TracePart*> accesses;
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) accesses.push_back(&part);
  }
  if (finding.kind != FindingKind::kDataRace || accesses.size() != 2) return std::nullopt;
  RemedyPart part;
  part.rule.kind = RuleKind::kLocked;
  part.rule.place = place_of(trace, accesses[0]->pc, accesses[0]->stack);
  part.rule.other = place_of(trace, accesses[1]->pc, accesses[1]->stack);
  part.shown = shown(trace, accesses[0]->pc, accesses[0]->stack, accesses[0]->address);
  part.other_shown = shown(trace, accesses[1]->pc, accesses[1]->stack, accesses[1]->address);
  return part;
}

// The accesses of one line to one variable are several places, and each may race.
bool RemedySearch::try_lock() {
  constexpr int kMostRounds = 12;
  std::vector<RemedyPart> parts;
  const Trace* race = &failing_;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto part = lock_of_race(*race);
    if (!part || parts.size() == kMostRules) return false;
    const bool known = std::any_of(parts.begin(), parts.end(), [&](const RemedyPart& other) {
      return other.rule.place == part->rule.place && other.rule.other == part->rule.other;
    });
    if (known) return false;
    parts.push_back(*part);
    last_failure_.reset();
    if (helps(rules_of(parts))) return accept(RemedyKind::kLock, parts);
    if (!last_failure_) return false;
    race = &*last_failure_;
  }
  return false;
}

// --- locks that are taken in different orders

// Each thread of the cycle takes what it holds and what it waits for in one step.
bool RemedySearch::try_locks_together() {
  const TraceFinding& finding = failing_.findings.front();
  if (finding.kind != FindingKind::kDeadlock) return false;
  std::vector<RemedyPart> parts;
  for (const TracePart& waits : finding.parts) {
    if (waits.role != PartRole::kBlockedThread) continue;
    const TraceEvent* holds = nullptr;
    for (const TraceEvent& event : failing_.events) {
      const bool in_cycle = std::any_of(finding.parts.begin(), finding.parts.end(), [&](const TracePart& p) {
        return p.role == PartRole::kBlockedThread && p.address == event.address && p.thread != waits.thread;
      });
      if (takes_lock(event.kind) && in_cycle && event.thread == waits.thread) holds = &event;
    }
    if (holds == nullptr) return false;
    parts.push_back(stretch(*holds, waits.pc, waits.stack, waits.address));
    parts.back().other_shown.event.kind = EventKind::kMutexLock;
  }
  return !parts.empty() && helps(rules_of(parts)) && accept(RemedyKind::kTogether, parts);
}

// --- operations that should be one step

void RemedySearch::find_conflict(Gap& gap, const Positions& own_before, const Positions& own_after,
                                 const Positions& others) const {
  const auto& events = failing_.events;
  const auto touches = [&](const Positions& positions, Address address) -> const TraceEvent* {
    const auto found = std::find_if(positions.begin(), positions.end(), [&](std::uint32_t at) {
      return events[at].address == address && accesses_memory(events[at].kind);
    });
    return found != positions.end() ? &events[*found] : nullptr;
  };
  for (const std::uint32_t at : others) {
    if (!writes_memory(events[at].kind)) continue;
    gap.first_access = touches(own_before, events[at].address);
    gap.last_access = touches(own_after, events[at].address);
    if (gap.first_access != nullptr && gap.last_access != nullptr) {
      gap.conflicts = true;
      return;
    }
  }
  gap.first_access = gap.last_access = nullptr;
}

// Where a thread was interrupted: between two of its operations others did something.
std::vector<RemedySearch::Gap> RemedySearch::gaps() const {
  constexpr std::size_t kReach = 12;
  const auto& events = failing_.events;
  std::map<ThreadId, Positions> of_thread;
  for (std::uint32_t i = 0; i < events.size(); ++i) of_thread[events[i].thread].push_back(i);
  std::vector<Gap> found;
  const auto add = [&](const Positions& own, std::size_t k) {
    Gap gap;
    gap.thread = events[own[k - 1]].thread;
    Positions near_before, near_after, others;
    for (std::size_t i = k; i-- > 0 && near_before.size() < 2 * kReach;) {
      near_before.push_back(own[i]);
      if (takes_turn(events[own[i]]) && gap.before.size() < kReach) gap.before.push_back(own[i]);
    }
    for (std::size_t i = k; i < own.size() && near_after.size() < 2 * kReach; ++i) {
      near_after.push_back(own[i]);
      if (takes_turn(events[own[i]]) && gap.after.size() < kReach) gap.after.push_back(own[i]);
    }
    for (std::uint32_t at = own[k - 1] + 1; at < own[k]; ++at) others.push_back(at);
    find_conflict(gap, near_before, near_after, others);
    if (!gap.before.empty() && !gap.after.empty()) found.push_back(std::move(gap));
  };
  for (const auto& [thread, own] : of_thread) {
    for (std::size_t k = 1; k < own.size(); ++k) {
      if (own[k] != own[k - 1] + 1) add(own, k);
    }
  }
  // What happened last is nearest to the failure.
  std::sort(found.begin(), found.end(), [](const Gap& a, const Gap& b) {
    if (a.conflicts != b.conflicts) return a.conflicts;
    return a.before.front() > b.before.front();
  });
  return found;
}

// From `first` until the thread has performed what is at the other place.
RemedyPart RemedySearch::stretch(const TraceEvent& first, std::uint64_t pc, StackId stack,
                                 Address address) const {
  RemedyPart part;
  part.rule.kind = RuleKind::kTogether;
  part.rule.place = place_of(failing_, first);
  part.shown = shown(failing_, first);
  part.rule.other = place_of(failing_, pc, stack);
  part.other_shown = shown(failing_, pc, stack, address);
  const auto calls = calls_of(failing_, first.stack);
  const auto end_calls = calls_of(failing_, stack);
  std::size_t common = 0;
  while (common < calls.size() && common < end_calls.size() && calls[common] == end_calls[common]) ++common;
  part.rule.frames_left = static_cast<std::uint8_t>(std::min<std::size_t>(calls.size() - common, 255));
  return part;
}

// The compiler may have made several copies of a line: all places that this operation is at.
std::vector<CodePlace> RemedySearch::siblings(const ShownOperation& operation, const CodePlace& place) const {
  std::vector<CodePlace> places{place};
  std::vector<const Trace*> traces{&failing_};
  if (explanation_.passing) traces.push_back(&explanation_.passing->trace);
  for (const Trace* trace : traces) {
    for (const TraceEvent& event : trace->events) {
      if (event.kind != operation.event.kind || event.pc == place.pc) continue;
      if (!is_same_line(shown(*trace, event).frame, operation.frame)) continue;
      const CodePlace other = place_of(*trace, event);
      if (std::find(places.begin(), places.end(), other) == places.end()) places.push_back(other);
    }
  }
  return places;
}

std::vector<RemedyPart> RemedySearch::with_siblings(const RemedyPart& part) const {
  constexpr std::size_t kMostCopies = 8;
  const auto begins = siblings(part.shown, part.rule.place);
  const auto ends = siblings(part.other_shown, part.rule.other);
  std::vector<RemedyPart> parts;
  for (std::size_t i = 0; i < std::min(kMostCopies, std::max(begins.size(), ends.size())); ++i) {
    parts.push_back(part);
    parts.back().rule.place = begins[std::min(i, begins.size() - 1)];
    parts.back().rule.other = ends[std::min(i, ends.size() - 1)];
  }
  return parts;
}

bool RemedySearch::try_gap(const Gap& gap, std::size_t reach) {
  // The shortest stretches first.
  for (std::size_t width = 0; width <= reach; ++width) {
    for (std::size_t back = 0; back <= width && back < gap.before.size(); ++back) {
      const std::size_t on = width - back;
      if (on >= gap.after.size() || !trials_.time_left()) continue;
      const TraceEvent& last = failing_.events[gap.after[on]];
      RemedyPart part = stretch(failing_.events[gap.before[back]], last.pc, last.stack, last.address);
      part.other_shown.event = last;
      if (gap.first_access != nullptr) {
        part.first_access = shown(failing_, *gap.first_access);
        part.last_access = shown(failing_, *gap.last_access);
      }
      const std::vector<RemedyPart> parts = with_siblings(part);
      if (helps(rules_of(parts)) && accept(RemedyKind::kTogether, parts)) return true;
    }
  }
  return false;
}

bool RemedySearch::try_together(bool only_conflicting) {
  constexpr std::size_t kMostGaps = 12, kReach = 5;
  say("trying which operations should be one step");
  std::size_t tried = 0;
  for (const Gap& gap : gaps()) {
    if (gap.conflicts != only_conflicting || tried++ == kMostGaps || !trials_.time_left()) continue;
    if (try_gap(gap, kReach)) return true;
  }
  return false;
}

// --- operations that should come later

const TraceEvent* RemedySearch::turn_at_or_before(const Trace& trace, const TraceEvent& event) const {
  const TraceEvent* found = nullptr;
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && takes_turn(e) && e.id <= event.id) found = &e;
  }
  return found;
}

const TraceEvent* RemedySearch::turn_at_or_after(const Trace& trace, const TraceEvent& event) const {
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && e.id >= event.id && (takes_turn(e) || e.kind == EventKind::kThreadEnd))
      return e.kind == EventKind::kThreadEnd ? nullptr : &e;
  }
  return nullptr;
}

// How many threads do this, by the line of the source.
std::size_t RemedySearch::threads_at(const Trace& trace, const TraceEvent& event) {
  std::set<ThreadId> threads;
  const Frame frame = shown(trace, event).frame;
  for (const TraceEvent& e : trace.events) {
    if (e.kind == event.kind && is_same_line(shown(trace, e).frame, frame)) threads.insert(e.thread);
  }
  return threads.size();
}

bool RemedySearch::try_after() {
  if (!explanation_.passing) return false;
  say("trying which operation should wait for another one");
  const Trace& passing = explanation_.passing->trace;
  const auto attempt = [&](const Trace& late_trace, const TraceEvent* late, const Trace& early_trace,
                           const TraceEvent* early) {
    if (late == nullptr || early == nullptr || late->thread == early->thread) return false;
    const TraceEvent* place = turn_at_or_before(late_trace, *late);
    const TraceEvent* other = turn_at_or_after(early_trace, *early);
    if (place == nullptr || other == nullptr || !trials_.time_left()) return false;
    // Where several threads come to the place, none of them can be the one that has to wait.
    if (threads_at(late_trace, *late) > 1 || threads_at(early_trace, *early) > 1) return false;
    RemedyPart part;
    part.rule.kind = RuleKind::kAfter;
    part.rule.place = place_of(late_trace, *place);
    part.rule.other = place_of(early_trace, *other);
    // What people know is the access itself.
    part.shown = shown(late_trace, *late);
    part.other_shown = shown(early_trace, *early);
    return helps({part.rule}) && accept(RemedyKind::kAfter, {part});
  };
  for (std::size_t i = 0; i < explanation_.failing.flows.size(); ++i) {
    const Flow& fails = explanation_.failing.flows[i];
    const Flow& passes = explanation_.passing->flows[i];
    const auto event = [](const Trace& trace, EventId id) {
      return id == kNoEvent ? nullptr : trace.find_event(id);
    };
    // The read should have seen what it sees when all is well.
    if (attempt(failing_, event(failing_, fails.reader), passing, event(passing, passes.writer))) return true;
    // What it should not have seen should have come later.
    if (attempt(failing_, event(failing_, fails.writer), passing, event(passing, passes.reader))) return true;
  }
  return false;
}

void RemedySearch::run() {
  if (failing_.findings.empty()) return;
  say("how often does the bug show?");
  trials_.calibrate();
  explanation_.base_executions = trials_.base_executions();
  const bool found = try_orders() || try_lock() || try_locks_together() || try_together(true) ||
                     try_after() || try_together(false);
  explanation_.remedies_tried = trials_.count();
  if (!found) explanation_.remedy.reset();
}

}  // namespace

void find_remedy(const run::Target& target, Explanation& explanation, const RemedyOptions& options) {
  RemedySearch(target, explanation, options).run();
}

}  // namespace heddle::cause
