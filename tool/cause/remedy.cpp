#include "tool/cause/remedy.h"

#include <algorithm>
#include <map>

#include "tool/artifact/stack_view.h"
#include "tool/cause/code_place.h"
#include "tool/cause/steps.h"

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
  bool try_lock();
  bool try_together(bool only_conflicting);
  bool try_after();
  struct Gap {
    ThreadId thread;
    Positions before, after;  // operations that wait for their turn, the nearest first
    // Somebody wrote in it what the thread touched before and after.
    const TraceEvent* first_access = nullptr;
    const TraceEvent* last_access = nullptr;
    bool conflicts = false;
    const TracePart* stuck = nullptr;  // where the thread waits for ever
  };
  std::vector<Gap> gaps() const;
  void find_conflict(Gap& gap, const Positions& own_before, const Positions& own_after,
                     const Positions& others) const;
  bool try_gap(const Gap& gap, std::size_t reach);
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
      const bool is_of_use = useful_order(kind, order) == order &&
                             !(kind == EventKind::kAtomicLoad && order == MemoryOrder::kRelease) &&
                             !(kind == EventKind::kAtomicStore && order == MemoryOrder::kAcquire) &&
                             join_of(order, orders_[i].was) != orders_[i].was;
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

bool RemedySearch::try_lock() {
  const TraceFinding& finding = failing_.findings.front();
  if (finding.kind != FindingKind::kDataRace) return false;
  std::vector<const TracePart*> accesses;
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) accesses.push_back(&part);
  }
  if (accesses.size() != 2) return false;
  RemedyPart part;
  part.rule.kind = RuleKind::kLocked;
  part.rule.place = place_of(failing_, accesses[0]->pc, accesses[0]->stack);
  part.rule.other = place_of(failing_, accesses[1]->pc, accesses[1]->stack);
  part.shown = shown(failing_, accesses[0]->pc, accesses[0]->stack, accesses[0]->address);
  part.other_shown = shown(failing_, accesses[1]->pc, accesses[1]->stack, accesses[1]->address);
  return helps({part.rule}) && accept(RemedyKind::kLock, {part});
}

// --- operations that should be one step

void RemedySearch::find_conflict(Gap& gap, const Positions& own_before, const Positions& own_after,
                                 const Positions& others) const {
  const auto& events = failing_.events;
  const auto touches = [&](const Positions& positions, Address address) -> const TraceEvent* {
    const auto found = std::find_if(positions.begin(), positions.end(), [&](std::uint32_t at) {
      return events[at].address == address && (reads_memory(events[at]) || writes_memory(events[at]));
    });
    return found != positions.end() ? &events[*found] : nullptr;
  };
  for (const std::uint32_t at : others) {
    if (!writes_memory(events[at])) continue;
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
  const auto add = [&](const Positions& own, std::size_t k, const TracePart* stuck) {
    Gap gap;
    gap.thread = events[own[k - 1]].thread;
    gap.stuck = stuck;
    Positions near_before, near_after, others;
    for (std::size_t i = k; i-- > 0 && near_before.size() < 2 * kReach;) {
      near_before.push_back(own[i]);
      if (takes_turn(events[own[i]]) && gap.before.size() < kReach) gap.before.push_back(own[i]);
    }
    for (std::size_t i = k; i < own.size() && near_after.size() < 2 * kReach; ++i) {
      near_after.push_back(own[i]);
      if (takes_turn(events[own[i]]) && gap.after.size() < kReach) gap.after.push_back(own[i]);
    }
    const std::uint32_t end = k < own.size() ? own[k] : static_cast<std::uint32_t>(events.size());
    for (std::uint32_t at = own[k - 1] + 1; at < end; ++at) others.push_back(at);
    find_conflict(gap, near_before, near_after, others);
    if (stuck != nullptr) gap.conflicts = true;
    if (!gap.before.empty() && (!gap.after.empty() || stuck != nullptr)) found.push_back(std::move(gap));
  };
  for (const auto& [thread, own] : of_thread) {
    for (std::size_t k = 1; k < own.size(); ++k) {
      if (own[k] != own[k - 1] + 1) add(own, k, nullptr);
    }
    for (const TracePart& part : failing_.findings.front().parts) {
      const bool waits = failing_.findings.front().kind == FindingKind::kDeadlock && part.thread == thread &&
                         part.role == PartRole::kBlockedThread;
      if (waits) add(own, own.size(), &part);
    }
  }
  // What happened last is nearest to the failure.
  std::stable_sort(found.begin(), found.end(), [](const Gap& a, const Gap& b) {
    if (a.conflicts != b.conflicts) return a.conflicts;
    return a.before.front() > b.before.front();
  });
  return found;
}

bool RemedySearch::try_gap(const Gap& gap, std::size_t reach) {
  // The shortest stretches first.
  const std::size_t most_after = gap.stuck != nullptr ? 1 : gap.after.size();
  for (std::size_t width = 0; width <= reach; ++width) {
    for (std::size_t back = 0; back <= width && back < gap.before.size(); ++back) {
      const std::size_t on = width - back;
      if (on >= most_after || !trials_.time_left()) continue;
      const TraceEvent& first = failing_.events[gap.before[back]];
      RemedyPart part;
      part.rule.kind = RuleKind::kTogether;
      part.rule.place = place_of(failing_, first);
      part.shown = shown(failing_, first);
      std::vector<std::uint64_t> end_calls;
      if (gap.stuck != nullptr) {
        part.rule.other = place_of(failing_, gap.stuck->pc, gap.stuck->stack);
        part.other_shown = shown(failing_, gap.stuck->pc, gap.stuck->stack, gap.stuck->address);
        part.other_shown.event.kind = EventKind::kMutexLock;
        end_calls = calls_of(failing_, gap.stuck->stack);
      } else {
        const TraceEvent& last = failing_.events[gap.after[on]];
        part.rule.other = place_of(failing_, last);
        part.other_shown = shown(failing_, last);
        end_calls = calls_of(failing_, last.stack);
      }
      if (gap.first_access != nullptr) {
        part.first_access = shown(failing_, *gap.first_access);
        part.last_access = shown(failing_, *gap.last_access);
      }
      const auto calls = calls_of(failing_, first.stack);
      std::size_t common = 0;
      while (common < calls.size() && common < end_calls.size() && calls[common] == end_calls[common])
        ++common;
      part.rule.frames_left = static_cast<std::uint8_t>(std::min<std::size_t>(calls.size() - common, 255));
      if (helps({part.rule}) && accept(RemedyKind::kTogether, {part})) return true;
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
  const bool found = try_orders() || try_lock() || try_together(true) || try_after() || try_together(false);
  explanation_.remedies_tried = trials_.count();
  if (!found) explanation_.remedy.reset();
}

}  // namespace

void find_remedy(const run::Target& target, Explanation& explanation, const RemedyOptions& options) {
  RemedySearch(target, explanation, options).run();
}

}  // namespace heddle::cause
