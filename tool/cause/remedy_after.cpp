#include <algorithm>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/cause/code_place.h"
#include "tool/cause/remedy_kinds.h"
#include "tool/cause/remedy_places.h"

namespace heddle::cause {
namespace {

constexpr std::size_t kMostProposals = 24;

// An access, with the trace that has it.
struct Deed {
  const Trace* trace = nullptr;
  const TraceEvent* event = nullptr;
};

// A plain access is a turn of its own where it is a choice.
bool has_turn(const Trace& trace, const TraceEvent& e) {
  return takes_turn(e) || (is_plain_access(e.kind) && trace.spec.visible.has(e.pc, e.address, e.size));
}

const TraceEvent* turn_at_or_before(const Trace& trace, const TraceEvent& event) {
  const TraceEvent* found = nullptr;
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && has_turn(trace, e) && e.id <= event.id) found = &e;
  }
  return found;
}

const TraceEvent* turn_at_or_after(const Trace& trace, const TraceEvent& event) {
  for (const TraceEvent& e : trace.events) {
    if (e.thread == event.thread && e.id >= event.id &&
        (has_turn(trace, e) || e.kind == EventKind::kThreadEnd))
      return e.kind == EventKind::kThreadEnd ? nullptr : &e;
  }
  return nullptr;
}

// How many threads do this, by the line of the source.
std::size_t threads_at(const Trace& trace, const TraceEvent& event) {
  std::set<ThreadId> threads;
  const Frame frame = shown(trace, event).frame;
  for (const TraceEvent& e : trace.events) {
    if (e.kind == event.kind && is_same_line(shown(trace, e).frame, frame)) threads.insert(e.thread);
  }
  return threads.size();
}

// Was `thread` started by `by`, or by a thread that `by` has started?
bool is_start_of(const Trace& trace, ThreadId thread, ThreadId by) {
  constexpr int kMostGenerations = 8;
  for (int generation = 0; generation < kMostGenerations; ++generation) {
    const TraceEvent* start = creation_of(trace, thread);
    if (start == nullptr) return false;
    if (start->thread == by) return true;
    thread = start->thread;
  }
  return false;
}

// The creation in `by` by which `thread` came about, or the thread that started it, and so on. REQUIRES: is_start_of.
const TraceEvent* started_by(const Trace& trace, ThreadId thread, ThreadId by) {
  const TraceEvent* start = creation_of(trace, thread);
  while (start->thread != by) start = creation_of(trace, start->thread);
  return start;
}

// How many threads come to the two places.
struct Comers {
  std::size_t late = 1, early = 1;
};

// What should be there first.
struct Early {
  ThreadId thread;
  EventId event;  // the last before it, or itself
  std::uint64_t pc;
};

// `late` comes too early, since `early` should have been there: what a maintainer would do about it. A thread that
// is started too early is started later, and for one that was started before one waits.
void add_named(Proposals& proposals, const Trace& trace, const RemedyPart& after, ThreadId late,
               const Early& earlier, Comers count, bool of_race) {
  const ThreadId early = earlier.thread;
  const auto add = [&](RemedyKind kind, RemedyPart part) {
    proposals.push_back({kind, {std::move(part)}, {}, of_race});
  };
  // Where several threads come to a place, none of them can be the one that has to wait, or that is waited for.
  if (is_start_of(trace, late, early) && count.early == 1) {
    RemedyPart part = after;
    const TraceEvent& start = *started_by(trace, late, early);
    part.rule.kind = RuleKind::kStartAfter;
    part.rule.place = place_of(trace, start);
    part.first_access = shown(trace, start);
    // Not only that one: what its creator does along with it is done then, too.
    if (const TraceEvent* done = turn_after(trace, start, earlier.event, earlier.pc))
      part.rule.other = place_of(trace, *done);
    return add(RemedyKind::kStartLater, std::move(part));
  }
  if (is_start_of(trace, early, late) && count.late == 1) {
    RemedyPart part = after;
    part.rule.kind = RuleKind::kAfterEnd;
    part.rule.other = place_of(trace, *creation_of(trace, early));
    part.other_shown = shown(trace, *creation_of(trace, early));
    add(RemedyKind::kJoinBefore, std::move(part));
  }
  if (count.late == 1 && count.early == 1) add(RemedyKind::kAfter, after);
}

class AfterProposals {
 public:
  AfterProposals(const RemedyTrial& trial, bool only_first_writes)
      : failing_(trial.failing()), explanation_(trial.explanation()), only_first_writes_(only_first_writes) {}

  Proposals make() {
    if (!explanation_.passing) return {};
    const Trace& passing = explanation_.passing->trace;
    for (std::size_t i = 0; i < explanation_.failing.flows.size() && made_.size() < kMostProposals; ++i) {
      const Flow& fails = explanation_.failing.flows[i];
      const Flow& passes = explanation_.passing->flows[i];
      const auto deed = [](const Trace& trace, EventId id) {
        return Deed{&trace, id == kNoEvent ? nullptr : trace.find_event(id)};
      };
      const Deed reader = deed(failing_, fails.reader), right = deed(passing, passes.writer);
      // The read should have seen what it sees when all is well.
      if (!only_first_writes_ || fails.writer == kNoEvent) {
        add_published_last(reader, right);
        add(reader, right);
      }
      // What it should not have seen should have come later.
      if (!only_first_writes_) add(deed(failing_, fails.writer), deed(passing, passes.reader), true);
    }
    return std::move(made_);
  }

 private:
  // `until_seen`: the late one is a write, and the early one a read, after which it may come.
  void add(const Deed& late, const Deed& early, bool until_seen = false) {
    if (late.event == nullptr || early.event == nullptr || late.event->thread == early.event->thread) return;
    const TraceEvent* place = turn_at_or_before(*late.trace, *late.event);
    const TraceEvent* other = turn_at_or_after(*early.trace, *early.event);
    if (place == nullptr || other == nullptr) return;
    RemedyPart part;
    part.rule.kind = RuleKind::kAfter;
    part.rule.place = place_of(*late.trace, *place);
    part.rule.other = place_of(*early.trace, *other);
    // What people know is the access itself.
    part.shown = shown(*late.trace, *late.event);
    part.other_shown = shown(*early.trace, *early.event);
    const Comers count{threads_at(*late.trace, *late.event), threads_at(*early.trace, *early.event)};
    // Of two traces the numbers are not the same.
    const bool is_one = late.trace == early.trace;
    const Early earlier{early.event->thread, is_one ? early.event->id : kNoEvent, early.event->pc};
    const std::size_t before = made_.size();
    add_named(made_, *late.trace, part, late.event->thread, earlier, count, false);
    // That the thread that fails is to look before others have done anything is no remedy: it only looks away.
    if (until_seen && early.event->thread == failed_thread() && made_.size() > before &&
        made_.back().kind == RemedyKind::kAfter)
      made_.pop_back();
  }

  ThreadId failed_thread() const {
    const auto& parts = failing_.findings.front().parts;
    return parts.empty() ? kNoThread : parts.front().thread;
  }

  // The writer had told before that what it writes is there, and the reader has seen it say so.
  void add_published_last(const Deed& reader, const Deed& writer) {
    if (reader.event == nullptr || writer.event == nullptr || reader.event->thread == writer.event->thread)
      return;
    for (auto e = reader.trace->events.rbegin(); e != reader.trace->events.rend(); ++e) {
      if (e->id >= reader.event->id || e->thread != reader.event->thread || !reads_memory(e->kind)) continue;
      const TraceEvent* told = telling(*writer.trace, *writer.event, e->address);
      if (told == nullptr || made_.size() == kMostProposals) continue;
      const TraceEvent* end = turn_at_or_after(*writer.trace, *writer.event);
      if (end == nullptr) return;
      RemedyPart part =
          stretch(*writer.trace, *turn_at_or_before(*writer.trace, *told), end->pc, end->stack, end->address);
      part.shown = part.first_access = shown(*writer.trace, *told);
      part.other_shown = part.last_access = shown(*writer.trace, *writer.event);
      made_.push_back({RemedyKind::kPublishLast, {part}, {}, false});
      // What was told is not seen: if all is well then, and nobody looks at what it tells of, it only has to be told later.
      RemedyPart unseen;
      unseen.rule.kind = RuleKind::kAfter;
      unseen.rule.place = part.rule.place;
      if (const TraceEvent* read = turn_at_or_after(*reader.trace, *e)) {
        unseen.rule.other = place_of(*reader.trace, *read);
        made_.back().unless = Proposal::Unless{{unseen.rule}, reader.event->thread, reader.event->address};
      }
      return;
    }
  }

  // The writer's latest write there before its write of what was read too early.
  static const TraceEvent* telling(const Trace& trace, const TraceEvent& write, Address address) {
    const TraceEvent* found = nullptr;
    for (const TraceEvent& e : trace.events) {
      if (e.id >= write.id) break;
      if (e.thread == write.thread && e.address == address && e.address != write.address &&
          writes_memory(e.kind) && turn_at_or_before(trace, e) != nullptr)
        found = &e;
    }
    return found;
  }

  const Trace& failing_;
  const Explanation& explanation_;
  bool only_first_writes_;
  Proposals made_;
};

}  // namespace

Proposals propose_race_after(const RemedyTrial& trial) {
  const Trace& trace = trial.failing();
  const TraceFinding& finding = trace.findings.front();
  if (finding.kind != FindingKind::kDataRace) return {};
  std::vector<const TracePart*> accesses;
  for (const TracePart& part : finding.parts) {
    const bool is_access = part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
    if (is_access && (is_plain(part.access) || part.access == AccessKind::kFree)) accesses.push_back(&part);
  }
  if (accesses.size() != 2) return {};
  Proposals proposals;
  const auto propose = [&](const TracePart& late, const TracePart& early) {
    RemedyPart part;
    part.rule.kind = RuleKind::kAfter;
    part.rule.place = place_of(trace, late.pc, late.stack);
    part.rule.other = place_of(trace, early.pc, early.stack);
    part.shown = shown(trace, late.pc, late.stack, late.address);
    part.other_shown = shown(trace, early.pc, early.stack, early.address);
    add_named(proposals, trace, part, late.thread, {early.thread, early.event, early.pc}, {}, true);
  };
  // A value is set before it is used, and memory is freed when nobody uses it any more.
  const bool first_writes = accesses[0]->access == AccessKind::kWrite;
  const TracePart& writer = first_writes ? *accesses[0] : *accesses[1];
  const TracePart& reader = first_writes ? *accesses[1] : *accesses[0];
  propose(reader, writer);
  propose(writer, reader);
  return proposals;
}

Proposals propose_after(const RemedyTrial& trial, bool only_first_writes) {
  return AfterProposals(trial, only_first_writes).make();
}

}  // namespace heddle::cause
