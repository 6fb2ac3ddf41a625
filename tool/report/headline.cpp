#include "tool/report/headline.h"

#include <fmt/format.h>

#include <algorithm>

#include "tool/report/escape.h"
#include "tool/report/interference.h"
#include "tool/report/messages.h"
#include "tool/report/missed_store.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/plain_words.h"
#include "tool/report/waits.h"
#include "tool/trace/held_locks.h"
#include "tool/trace/stack_view.h"
#include "tool/trace/test_failure.h"

namespace heddle::report {
namespace {

class Places {
 public:
  Places(const Trace& trace, const TraceFinding& finding, Names& names)
      : trace_(trace), finding_(finding), names_(names) {}

  const std::vector<Address>& variables() const { return variables_; }

  std::vector<CitedPlace> find() {
    switch (finding_.kind) {
      case FindingKind::kDataRace:
        race();
        break;
      case FindingKind::kDeadlock:
      case FindingKind::kLockOrderInversion:
        deadlock();
        break;
      case FindingKind::kLostWakeUp:
        lost_wake_up();
        break;
      case FindingKind::kLivelock:
        livelock();
        break;
      case FindingKind::kHeapUseAfterFree:
      case FindingKind::kDoubleFree:
      case FindingKind::kStackUseAfterEnd:
      case FindingKind::kThreadLocalUseAfterEnd:
        after_end();
        break;
      default:
        failure();
        break;
    }
    if (places_.size() > kMostPlaces) places_.resize(kMostPlaces);
    return std::move(places_);
  }

 private:
  void add(std::uint64_t pc, StackId stack, CitedDeed deed) {
    const std::vector<Frame> frames = visible_frames(trace_, pc, stack);
    const Frame* frame = deciding_frame(frames);
    if (frame == nullptr || frame->file.empty() || frame->line == 0) return;
    add(*frame, std::move(deed));
  }
  static CitedDeed deed(const TracePart& part, std::string label) {
    return {part.thread, std::move(label), part.event, &part, nullptr};
  }
  static CitedDeed deed(const SharedAccess& a, std::string label) {
    return {a.thread, std::move(label), a.event, nullptr, a.plain};
  }
  void add(const TracePart& part, std::string label) {
    about(part.address);
    add(part.pc, part.stack, deed(part, std::move(label)));
  }
  void add(const SharedAccess& a, std::string label) {
    about(a.address);
    add(a.pc, a.stack, deed(a, std::move(label)));
  }
  void add(const TraceEvent& e, std::string label) {
    about(e.address);
    add(e.pc, e.stack, {e.thread, std::move(label), e.id, nullptr, nullptr});
  }
  void about(Address address) {
    if (address != 0 && std::ranges::find(variables_, address) == variables_.end())
      variables_.push_back(address);
  }
  // A line that is cited twice is shown once, with both labels.
  void add(const Frame& frame, CitedDeed deed) {
    for (CitedPlace& other : places_) {
      if (other.frame.file != frame.file || other.frame.line != frame.line ||
          (other.frame.column != frame.column && other.thread != deed.thread && other.thread != kNoThread))
        continue;
      if (other.frame.column == 0) other.frame.column = frame.column;
      if (other.label == deed.label) return;
      other.label += "; " + deed.label;
      other.deeds.push_back(std::move(deed));
      return;
    }
    places_.push_back({frame, deed.thread, deed.label, deed.event, {deed}});
  }

  std::string name(Address address, EventId event = kNoEvent) { return names_.variable(address, event); }

  std::string locks_held(ThreadId thread, EventId event) {
    std::string text;
    for (const HeldLock& lock : held_locks(trace_, thread, event))
      text += (text.empty() ? ", holding " : ", ") + name(lock.address, event);
    return text;
  }
  bool any_lock_held() {
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kAccess && part.role != PartRole::kPreviousAccess) continue;
      if (!held_locks(trace_, part.thread, part.event).empty()) return true;
    }
    return false;
  }

  void race() {
    const bool tells_locks = any_lock_held();
    const TracePart* later = part_of(finding_, PartRole::kAccess);
    const TracePart* earlier = part_of(finding_, PartRole::kPreviousAccess);
    for (const TracePart* part : {earlier, later}) {
      if (part == nullptr) continue;
      std::string held = locks_held(part->thread, part->event);
      if (held.empty() && tells_locks) held = ", holding no lock";
      add(*part, fmt::format("{} {} {}{}", thread_tag(part->thread), deed_of(*part),
                             name(part->address, part->event), held));
    }
    if (earlier == nullptr || later == nullptr) return;
    const auto found =
        message_without_order(trace_, earlier->thread, earlier->event, later->thread, later->event);
    message(found);
    // Locks made of atomics fail by reading what is old.
    if (found || stale()) return;
    lifetime(*earlier, *later);
    if (!tells_locks) declaration(later->address);
  }

  // Where nothing at all orders the accesses, the variable itself can be what has to change.
  void declaration(Address address) {
    const auto data = trace_.symbols.data.find(address);
    if (data == trace_.symbols.data.end() || data->second.file.empty() || data->second.line == 0) return;
    Frame frame;
    frame.file = data->second.file;
    frame.line = data->second.line;
    frame.module = data->second.module;
    if (!is_own_code(frame)) return;  // std::pair's first
    add(frame, {kNoThread, name(address) + " is declared here", kNoEvent, nullptr, nullptr});
  }

  // Memory that goes away under a thread that nobody waits for.
  void lifetime(const TracePart& one, const TracePart& other) {
    for (const TracePart* part : {&one, &other}) {
      const TracePart& rest = part == &one ? other : one;
      if (rest.access != AccessKind::kFree && rest.access != AccessKind::kDestruction) continue;
      for (const TraceEvent& e : trace_.events) {
        if (e.kind == EventKind::kThreadDetach && e.other == part->thread)
          add(e, fmt::format("{} detached {}", thread_tag(e.thread), thread_tag(e.other)));
      }
    }
  }

  void message(const std::optional<Message>& found) {
    if (!found) return;
    const auto [store, load] = *found;
    const std::string what = name(load->address, load->id);
    const auto order = [](MemoryOrder is, bool orders) {
      return fmt::format("{}{}", order_name(is), orders ? "" : ": orders nothing");
    };
    add(*store, fmt::format("{} stored {}, {}", thread_tag(store->thread), what,
                            order(store->order, is_release(store->order))));
    add(*load, fmt::format("{} read {}, {}", thread_tag(load->thread), what,
                           order(load->order, is_acquire(load->order))));
  }

  void deadlock() {
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kBlockedThread || part.role == PartRole::kHere)
        add_lock(part, PartRole::kHolds, blocked(part));
    }
    const PartRole waiting =
        part_of(finding_, PartRole::kBlockedThread) != nullptr ? PartRole::kBlockedThread : PartRole::kHere;
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHolds)
        add_lock(part, waiting, fmt::format("{} took {}", thread_tag(part.thread), name(part.address)));
      if (part.role == PartRole::kNotified) notified(part);
    }
  }

  // The order of two locks is that of two lines in one function, whichever functions take them.
  void add_lock(const TracePart& part, PartRole other_role, std::string label) {
    const std::vector<Frame> frames = visible_frames(trace_, part.pc, part.stack);
    for (const TracePart& other : finding_.parts) {
      if (other.role != other_role || other.thread != part.thread) continue;
      const std::vector<Frame> others = visible_frames(trace_, other.pc, other.stack);
      const Parting parting = parting_of(frames, others);
      if (parting.first == nullptr) continue;
      about(part.address);
      return add(*parting.first, deed(part, std::move(label)));
    }
    add(part, std::move(label));
  }

  std::string blocked(const TracePart& part) {
    const std::string who = thread_tag(part.thread);
    if (part.role == PartRole::kHere) return fmt::format("{} took {}", who, name(part.address));
    if (is_join(part)) return fmt::format("{} waits for {} to end", who, thread_tag(part.other));
    if (part.address == 0)
      return fmt::format("{} waits{}", who, part.text.empty() ? "" : " for " + escaped(part.text));
    std::string of = awaited_of(part, thread_tag(part.other));
    return fmt::format("{} waits for {}{}{}", who, awaited_gift(part), name(part.address),
                       of.empty() ? "" : ", " + of);
  }

  void notified(const TracePart& part) {
    add(part, part.other != kNoThread
                  ? fmt::format("{} signalled, which woke {} instead", thread_tag(part.thread),
                                thread_tag(part.other))
                  : fmt::format("{} signalled before {}", thread_tag(part.thread),
                                waiter() != nullptr ? thread_tag(waiter()->thread) + " waited" : "that"));
  }

  const TracePart* waiter() const {
    for (const PartRole role : {PartRole::kHere, PartRole::kBlockedThread, PartRole::kWaits}) {
      if (const TracePart* part = part_of(finding_, role)) return part;
    }
    return nullptr;
  }

  void lost_wake_up() {
    const TracePart* waits = waiter();
    if (waits == nullptr) return failure();
    add(*waits, fmt::format("{} waits for ever", thread_tag(waits->thread)));
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kNotified) notified(part);
    }
    if (const auto write = predicate_write(trace_, *waits)) {
      const std::string held = locks_held(write->thread, write->event);
      add(*write, fmt::format("{} wrote {}{}", thread_tag(write->thread), name(write->address, write->event),
                              held.empty() ? ", holding no lock" : held));
    }
  }

  void livelock() {
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kHere && part.role != PartRole::kBlockedThread) continue;
      add(part, fmt::format("{} loops{}", thread_tag(part.thread),
                            part.address != 0 ? " on " + name(part.address) : ""));
    }
  }

  void after_end() {
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kHere && part.role != PartRole::kAccess) continue;
      const char* did = finding_.kind == FindingKind::kDoubleFree ? "freed it again"
                        : is_write(part.access)                   ? "writes to it"
                                                                  : "uses it";
      add(part, fmt::format("{} {}", thread_tag(part.thread), did));
    }
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kFreed) add(part, fmt::format("{} freed it", thread_tag(part.thread)));
      if (part.role == PartRole::kThreadEnded)
        add(part, fmt::format("{} ended after this", thread_tag(part.thread)));
    }
    const TracePart* here = part_of(finding_, PartRole::kHere);
    const TracePart* freed = part_of(finding_, PartRole::kFreed);
    if (here != nullptr && freed != nullptr) {
      TracePart gone = *freed;
      gone.access = AccessKind::kFree;
      lifetime(*here, gone);
    }
    if (!stale()) stop();
  }

  // Where it was seen, then what led to it.
  void failure() {
    check();
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHere || part.role == PartRole::kAccess)
        add(part, thread_tag(part.thread) + " fails");
    }
    for (const TracePart& part : finding_.parts) {
      const std::string who = thread_tag(part.thread);
      if (part.role == PartRole::kPreviousAccess) add(part, fmt::format("{} {} it", who, deed_of(part)));
      if (part.role == PartRole::kHolds) add(part, fmt::format("{} took {}", who, name(part.address)));
      if (part.role == PartRole::kDestroyed) add(part, who + " destroyed it");
      if (part.role == PartRole::kFreed) add(part, who + " freed it");
      if (part.role == PartRole::kSettled)
        add(part, fmt::format("{} joined or detached {}", who, thread_tag(part.other)));
      if (part.role == PartRole::kThreadCreated && finding_.kind == FindingKind::kThreadLeak)
        add(part, fmt::format("{} created {}", thread_tag(part.other), who));
    }
    if (stale() || finding_.severity == Severity::kWarning) return;
    const auto read = last_shared_read(trace_, finding_);
    if (read) about(read->address);
    if (const auto found = interference(trace_, finding_)) return between(*found);
    if (read)
      add(*read, fmt::format("{} read {} → {}", thread_tag(read->thread), name(read->address, read->event),
                             names_.value(read->value, read->size, read->event)));
    stop();
  }

  // The check of a test framework has no event: its place is in the output.
  void check() {
    if (finding_.kind != FindingKind::kTestFailure) return;
    const auto failure = first_test_failure(trace_.output);
    if (!failure || failure->line == 0) return;
    Frame frame;
    frame.file = source_file_of(*failure, trace_.symbols);
    if (frame.file.empty()) frame.file = failure->file;
    frame.line = failure->line;
    add(frame, {kNoThread, "failed", kNoEvent, nullptr, nullptr});
  }

  // What should have been one step is in the function that does both halves of it.
  void between(const Interference& found) {
    const auto did = [](const SharedAccess& a) {
      return a.reads ? (a.writes ? "updated" : "read") : "wrote";
    };
    const std::string what = name(found.first.address, found.first.event);
    const std::vector<Frame> first = visible_frames(trace_, found.first.pc, found.first.stack);
    const std::vector<Frame> second = visible_frames(trace_, found.second.pc, found.second.stack);
    const Parting parting = parting_of(first, second);
    const auto half = [&](const SharedAccess& a, const Frame* frame, std::string label) {
      about(a.address);
      if (frame == nullptr || frame->line == 0) return add(a, std::move(label));
      add(*frame, deed(a, std::move(label)));
    };
    half(found.first, parting.first,
         fmt::format("{} {} {}", thread_tag(found.first.thread), did(found.first), what));
    add(found.between, fmt::format("then {} {} it", thread_tag(found.between.thread), did(found.between)));
    half(found.second, parting.second,
         fmt::format("then {} {} it", thread_tag(found.second.thread), did(found.second)));
  }

  bool stale() {
    const TraceEvent* read = telling_stale_read(trace_, finding_);
    if (read == nullptr) return false;
    const auto [missed, how] = missed_store(trace_, *read).value_or(MissedStore{});
    const std::string what = name(read->address, read->id);
    if (how != MissedStore::How::kNewer) {
      turned(*read, *missed, how, what);
      return true;
    }
    add(*read, fmt::format("{} read an old {}, {}", thread_tag(read->thread), what, order_name(read->order)));
    if (missed != nullptr) {
      add(*missed,
          fmt::format("{} had stored {}, {}", thread_tag(missed->thread), what, order_name(missed->order)));
      message(message_without_order(trace_, missed->thread, missed->id, read->thread, read->id));
    }
    return true;
  }

  // Two stores whose modification order is not the order of time. Both have to be seen.
  void turned(const TraceEvent& read, const TraceEvent& missed, MissedStore::How how,
              const std::string& what) {
    const bool is_later = how == MissedStore::How::kOrderedBefore;
    add(read, fmt::format("{} read {}, {}", thread_tag(read.thread), what, order_name(read.order)));
    if (const TraceEvent* from = trace_.find_event(read.reads_from); from != nullptr)
      add(*from,
          fmt::format("{} had stored what was read, {}", thread_tag(from->thread), order_name(from->order)));
    add(missed,
        fmt::format("{} stored {} {}, {}: ordered {} that", thread_tag(missed.thread), what,
                    is_later ? "later" : "earlier", order_name(missed.order), is_later ? "before" : "after"));
  }

  void stop() {
    const auto stop = critical_stop(trace_);
    if (stop)
      add(stop->pc, stop->stack,
          {stop->thread,
           fmt::format("{} had come to here when {} ran", thread_tag(stop->thread), thread_tag(stop->to)),
           kNoEvent, nullptr, nullptr});
  }

  const Trace& trace_;
  const TraceFinding& finding_;
  Names& names_;
  std::vector<CitedPlace> places_;
  std::vector<Address> variables_;
};

}  // namespace

Headline headline(const Trace& trace, const TraceFinding& finding, Names& names) {
  Headline head;
  head.sentence = plain_words(trace, finding, names);
  Places places(trace, finding, names);
  head.places = places.find();
  head.variables = places.variables();
  return head;
}

Headline headline(const Trace& trace, const TraceFinding& finding) {
  Names names(trace);
  return headline(trace, finding, names);
}

}  // namespace heddle::report
