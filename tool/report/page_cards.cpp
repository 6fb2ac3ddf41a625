#include "tool/report/page_cards.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/trace/event_kinds.h"
#include "tool/report/escape.h"
#include "tool/report/places.h"
#include "tool/report/waits.h"
#include "tool/trace/held_locks.h"

namespace heddle::report {
namespace {

bool is_race_access(const TracePart& part) {
  return part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess;
}

const char* access_word(AccessKind access) {
  switch (access) {
    case AccessKind::kRead:
      return "read";
    case AccessKind::kWrite:
      return "write";
    case AccessKind::kAtomicRead:
      return "atomic read";
    case AccessKind::kAtomicWrite:
      return "atomic write";
    case AccessKind::kAllocation:
      return "allocation";
    case AccessKind::kFree:
      return "free";
    case AccessKind::kThreadEnd:
      return "end of the thread";
    case AccessKind::kDestruction:
      return "destruction";
    case AccessKind::kObjectUse:
    case AccessKind::kNone:
      return "use";
  }
  return "use";
}

// An operation that a part with this role may be. Parts of other roles are found in other ways, or are no events.
bool fits(const TracePart& part, EventKind kind) {
  switch (part.role) {
    case PartRole::kFreed:
      return kind == EventKind::kFree;
    case PartRole::kAllocated:
      return kind == EventKind::kAllocate;
    case PartRole::kNotified:
      return kind == EventKind::kCondSignal || kind == EventKind::kCondBroadcast ||
             kind == EventKind::kSemaphorePost || kind == EventKind::kFutexWake;
    case PartRole::kHolds:
    case PartRole::kHere:
      return takes_lock(kind);
    case PartRole::kThreadCreated:
      return kind == EventKind::kThreadCreate;
    case PartRole::kThreadEnded:
      return kind == EventKind::kThreadEnd;
    case PartRole::kSettled:
      return kind == EventKind::kThreadJoin || kind == EventKind::kThreadDetach;
    default:
      return false;
  }
}

// The event says that the thread begins to wait. Other operations are events once they have taken effect.
bool begins_to_wait(const TraceEvent& e) {
  return e.kind == EventKind::kCondWait || e.kind == EventKind::kFutexWait ||
         e.kind == EventKind::kBarrierWait || (e.flags & event_flags::kFailed) != 0;
}

std::string name_or(const TracePart& part, const char* otherwise, Names& names) {
  if (part.address != 0) return names.location(part.address, part.event);
  return part.text.empty() ? otherwise : escaped(part.text);
}

class Cards {
 public:
  Cards(const Trace& trace, const TraceFinding& finding, Names& names)
      : trace_(trace), finding_(finding), names_(names) {}

  std::vector<PageCard> write() {
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kThroughLibrary) continue;  // names a library, no place
      PageCard card;
      card.role = role_of(part);
      card.object = object_of(part);
      card.thread = part.thread;
      card.pc = part.pc;
      card.stack = part.stack;
      card.event = event_of(part);
      card.part = &part;
      card.is_main = is_main(part);
      cards_.push_back(std::move(card));
    }
    for (const TracePart& part : finding_.parts) {
      if (finding_.kind == FindingKind::kDataRace && is_race_access(part)) held_at(part);
    }
    return std::move(cards_);
  }

 private:
  bool is_main(const TracePart& part) const {
    switch (part.role) {
      case PartRole::kAllocated:
      case PartRole::kInitialised:
      case PartRole::kLocation:
      case PartRole::kRunningThread:
        return false;
      case PartRole::kWaits:
        return finding_.kind == FindingKind::kLostWakeUp;
      case PartRole::kThreadCreated:
        return finding_.kind == FindingKind::kThreadLeak;
      case PartRole::kFreed:
        // Of a race, memory that was freed later is told by the way.
        return finding_.kind != FindingKind::kDataRace;
      default:
        return true;
    }
  }

  std::string object_of(const TracePart& part) {
    switch (part.role) {
      case PartRole::kAccess:
      case PartRole::kPreviousAccess:
      case PartRole::kNotified:
      case PartRole::kDestroyed:
      case PartRole::kInitialised:
      case PartRole::kLocation:
        return name_of(part);
      case PartRole::kHere:
        return finding_.kind == FindingKind::kLockOrderInversion ||
                       finding_.kind == FindingKind::kLockHeldAtThreadEnd
                   ? ""
                   : name_of(part);
      case PartRole::kFreed:
      case PartRole::kAllocated:
        return part.block != 0 ? names_.location(part.block) : name_of(part);
      default:
        return {};
    }
  }

  std::string name_of(const TracePart& part) {
    return part.address == 0 ? "" : names_.location(part.address, part.event);
  }
  std::string name_or(const TracePart& part, const char* otherwise) {
    return heddle::report::name_or(part, otherwise, names_);
  }

  std::string role_of(const TracePart& part) {
    switch (part.role) {
      case PartRole::kHere:
        return here(part);
      case PartRole::kAccess:
        return access_word(part.access);
      case PartRole::kPreviousAccess:
        return fmt::format("previous {}", access_word(part.access));
      case PartRole::kBlockedThread:
      case PartRole::kWaits:
        return waits(part);
      case PartRole::kHolds:
        return "took " + name_or(part, "a lock");
      case PartRole::kThreadCreated:
        return fmt::format("created here by {}", thread_tag(part.other));
      case PartRole::kAllocated:
        return "allocated here";
      case PartRole::kFreed:
        return "freed here";
      case PartRole::kRunningThread:
        return "was running here";
      case PartRole::kLocation:
        return "on the stack of this function";
      case PartRole::kInitialised:
        return "initialised here";
      case PartRole::kDestroyed:
        return "destroyed here";
      case PartRole::kNotified:
        return part.other != kNoThread ? fmt::format("notified here, which woke {}", thread_tag(part.other))
                                       : "notified here";
      case PartRole::kSettled:
        return fmt::format("joined or detached {} here", thread_tag(part.other));
      case PartRole::kThreadEnded:
        return "ended after this";
      case PartRole::kThroughLibrary:
        break;
    }
    return "here";
  }

  std::string here(const TracePart& part) {
    switch (finding_.kind) {
      case FindingKind::kHeapUseAfterFree:
      case FindingKind::kStackUseAfterEnd:
      case FindingKind::kThreadLocalUseAfterEnd:
        return part.access == AccessKind::kNone ? "used here"
                                                : fmt::format("{} here", access_word(part.access));
      case FindingKind::kDoubleFree:
        return "freed again here";
      case FindingKind::kInvalidFree:
        return "freed here";
      case FindingKind::kUninitialisedAtomic:
        return "read here";
      case FindingKind::kLivelock:
        return "loops here";
      case FindingKind::kLostWakeUp:
        return waits(part);
      case FindingKind::kLockOrderInversion:
        return "then took " + name_or(part, "a lock");
      case FindingKind::kLockHeldAtThreadEnd:
        return "took " + name_or(part, "a lock");
      case FindingKind::kMutexMisuse:
      case FindingKind::kCondMisuse:
      case FindingKind::kRwlockMisuse:
      case FindingKind::kBarrierMisuse:
      case FindingKind::kSemaphoreMisuse:
      case FindingKind::kThreadMisuse:
        return "misused here";
      default:
        return "failed here";
    }
  }

  // "took a, waits for b": what it holds that others wait for, and what it waits for.
  std::string waits(const TracePart& part) {
    std::string held;
    for (const TracePart& other : finding_.parts) {
      if (other.role == PartRole::kHolds && other.thread == part.thread && other.address != part.address)
        held += (held.empty() ? "took " : " and ") + name_or(other, "a lock");
    }
    const std::string what = wait_words(part, names_);
    return held.empty() ? what : held + ", " + what;
  }

  const TraceEvent* event_of(const TracePart& part) const {
    switch (part.role) {
      case PartRole::kAccess:
      case PartRole::kPreviousAccess:
        return access_of(part);
      case PartRole::kBlockedThread:
      case PartRole::kWaits:
        return wait_of(part);
      case PartRole::kRunningThread:
        return last_of(part.thread);
      case PartRole::kHere:
        if (finding_.kind == FindingKind::kLivelock) return last_of(part.thread);
        if (finding_.kind == FindingKind::kLostWakeUp) return wait_of(part);
        if (finding_.kind == FindingKind::kLockOrderInversion ||
            finding_.kind == FindingKind::kLockHeldAtThreadEnd)
          return operation_of(part);
        return finding_.event == kNoEvent ? nullptr : trace_.find_event(finding_.event);
      default:
        return operation_of(part);
    }
  }

  const TraceEvent* last_of(ThreadId thread) const {
    for (auto e = trace_.events.rbegin(); e != trace_.events.rend(); ++e) {
      if (e->thread == thread && e->kind != EventKind::kFinding) return &*e;
    }
    return nullptr;
  }

  const TraceEvent* wait_of(const TracePart& part) const {
    const TraceEvent* last = last_of(part.thread);
    return last != nullptr && begins_to_wait(*last) && last->address == part.address ? last : nullptr;
  }

  // The last operation of the thread that the part can be: on this object at this place, else on one of them.
  const TraceEvent* operation_of(const TracePart& part) const {
    const bool is_creation = part.role == PartRole::kThreadCreated;
    const Address address = part.block != 0 ? part.block : part.address;
    const TraceEvent* best = nullptr;
    int best_score = 0;
    for (auto e = trace_.events.rbegin(); e != trace_.events.rend(); ++e) {
      if (!fits(part, e->kind) || (is_creation ? e->other : e->thread) != part.thread) continue;
      if (part.role == PartRole::kSettled && e->other != part.other) continue;
      const bool is_unique = is_creation || part.role == PartRole::kThreadEnded;
      const int score =
          (address != 0 && e->address == address ? 2 : 0) + (e->pc == part.pc ? 2 : 0) + (is_unique ? 1 : 0);
      if (score > best_score) {
        best = &*e;
        best_score = score;
      }
    }
    return best;
  }

  // Of a race: an atomic access, a free and the like are events. The part names the last event before it.
  const TraceEvent* access_of(const TracePart& part) const {
    for (auto e = trace_.events.rbegin(); e != trace_.events.rend(); ++e) {
      if (part.event != kNoEvent && index_of(e->id) > index_of(part.event) + 1) continue;
      if (e->thread != part.thread || e->pc != part.pc || e->kind == EventKind::kFinding) continue;
      if (e->address == part.address || (part.block != 0 && e->address == part.block)) return &*e;
    }
    return nullptr;
  }

  void held_at(const TracePart& part) {
    for (const HeldLock& lock : held_locks(trace_, part.thread, part.event)) {
      PageCard card;
      card.role = fmt::format("took {}, and held it at its {}", names_.location(lock.address, part.event),
                              access_word(part.access));
      card.thread = part.thread;
      card.pc = lock.taken->pc;
      card.stack = lock.taken->stack;
      card.event = lock.taken;
      card.is_main = false;
      cards_.push_back(std::move(card));
    }
  }

  const Trace& trace_;
  const TraceFinding& finding_;
  Names& names_;
  std::vector<PageCard> cards_;
};

}  // namespace

std::string wait_words(const TracePart& part, Names& names) {
  if (is_join(part)) return fmt::format("waits for {} to end", thread_tag(part.other));
  return fmt::format("waits for {}{}", awaited_gift(part), name_or(part, "ever", names));
}

std::vector<PageCard> page_cards(const Trace& trace, const TraceFinding& finding, Names& names) {
  return Cards(trace, finding, names).write();
}

}  // namespace heddle::report
