#include "tool/report/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tool/report/access_text.h"
#include "tool/report/escape.h"
#include "tool/report/known_faults.h"
#include "tool/report/memory_text.h"
#include "tool/report/names.h"
#include "tool/report/places.h"
#include "tool/report/stack_writer.h"
#include "tool/report/waits.h"
#include "tool/trace/held_locks.h"
#include "tool/trace/stack_view.h"

namespace heddle::report {
namespace {

class Stacks {
 public:
  Stacks(const Trace& trace, const TraceFinding& finding, const TextOptions& options, Names& names)
      : trace_(trace),
        finding_(finding),
        options_(options),
        names_(names),
        is_full_(options.detail == Detail::kAll),
        out_(trace, options) {}

  std::string write() {
    write_body();
    if (const KnownFault* fault = known_fault(trace_, finding_)) {
      line("This is a known fault of " + fault->library + ", not of the program:");
      paragraph(fault->advice);
    }
    return out_.text();
  }

 private:
  void write_body() {
    switch (finding_.kind) {
      case FindingKind::kDataRace:
        race();
        break;
      case FindingKind::kDeadlock:
        deadlock();
        break;
      case FindingKind::kLostWakeUp:
        lost_wake_up();
        break;
      case FindingKind::kLivelock:
        livelock();
        break;
      case FindingKind::kNonZeroExit:
      case FindingKind::kTestFailure:
        if (is_full_) paragraph(fmt::format("The program exited with status {}.", finding_.exit_status));
        if (is_full_) message();
        break;
      case FindingKind::kThreadLeak:
        if (finding_.message.empty())
          paragraph("A thread was neither joined nor detached when the program ended.");
        message();
        break;
      case FindingKind::kLockOrderInversion:
        lock_order();
        break;
      case FindingKind::kLockHeldAtThreadEnd:
        message();
        for (const TracePart& part : finding_.parts) {
          if (part.role == PartRole::kHere) taken(part);
        }
        break;
      case FindingKind::kHeapUseAfterFree:
      case FindingKind::kStackUseAfterEnd:
      case FindingKind::kThreadLocalUseAfterEnd:
        use_after_free();
        break;
      default:
        failure();
        break;
    }
    if (is_full_) parts_of(PartRole::kInitialised);
    parts_of(PartRole::kDestroyed);
    parts_of(PartRole::kSettled);
    if (is_full_) parts_of(PartRole::kAllocated);
    parts_of(PartRole::kFreed);
    parts_of(PartRole::kThreadEnded);
    if (!is_full_) return;
    parts_of(PartRole::kWaits);
    parts_of(PartRole::kRunningThread);
    threads();
  }

  void line(std::string_view text) { out_.line(text); }
  void paragraph(std::string_view text) { out_.paragraph(text); }
  void place(const std::string& heading, const TracePart& part) { out_.place(heading, part); }
  void message() {
    if (finding_.message.empty()) return;
    paragraph(is_full_
                  ? escaped(finding_.message)
                  : capitalised(clipped(escaped(first_line(finding_.message)), options_.width - 3)) + ".");
  }

  // A variable in quotes, or a short name such as heap#1+8.
  std::string name_of(Address address) {
    const std::string name = names_.location(address);
    return names_.has_own_name(address) ? fmt::format("'{}'", name) : name;
  }

  // "mutex 'queue.lock' (0x…)". What kind of object it is, the part says, or what was done with it.
  std::string object(const TracePart& part, std::string_view otherwise) {
    if (part.address == 0) return part.text.empty() ? fmt::format("some {}", otherwise) : escaped(part.text);
    const std::string_view noun = part.text.empty() ? names_.noun(part.address) : std::string_view();
    const std::string what =
        !part.text.empty() ? escaped(part.text) : std::string(noun.empty() ? otherwise : noun);
    return fmt::format("{} {} ({:#x})", what, name_of(part.address), part.address);
  }

  void access(const TracePart& part) {
    std::string what = access_text(part);
    if (part.role == PartRole::kPreviousAccess) what = "previous " + what;
    // How large an object is that was used or destroyed, and a whole stack, does not matter.
    const bool has_size = part.size != 0 && part.access < AccessKind::kThreadEnd;
    const std::uint64_t bytes = part.block_size > part.size ? part.block_size : part.size;
    const std::string size = has_size ? fmt::format(" of size {}", bytes) : "";
    place(fmt::format("{}{} at {:#x} by {}{}:", capitalised(what), size, part.address,
                      thread_text(part.thread), locks_of(part)),
          part);
  }

  // " (mutexes: write M1, read M2)", as ThreadSanitizer writes it; empty where the thread held none.
  std::string locks_of(const TracePart& part) {
    std::string text;
    for (const HeldLock& lock : held_locks(trace_, part.thread, part.event)) {
      auto known = std::find_if(locks_.begin(), locks_.end(),
                                [&](const auto& other) { return other.taken == lock.taken; });
      if (known == locks_.end()) known = locks_.insert(known, lock);
      text += fmt::format("{}{} {}", text.empty() ? " (mutexes: " : ", ", lock.exclusive ? "write" : "read",
                          lock_tag(*known));
    }
    return text.empty() ? text : text + ")";
  }

  // A lock has one number, whoever holds it.
  std::string lock_tag(const HeldLock& lock) {
    const auto [at, is_new] = lock_numbers_.try_emplace(lock.address, lock_numbers_.size() + 1);
    return fmt::format("M{}", at->second);
  }

  void locks() {
    for (const HeldLock& lock : locks_) {
      TracePart part;
      part.pc = lock.taken->pc;
      part.stack = lock.taken->stack;
      place(fmt::format("Mutex {} {} ({:#x}) taken by {} at:", lock_tag(lock), name_of(lock.address),
                        lock.address, thread_text(lock.taken->thread)),
            part);
    }
  }

  void race() {
    message();
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kAccess || part.role == PartRole::kPreviousAccess) access(part);
    }
    if (is_full_) locks();
    location();
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kThroughLibrary) {
        line(
            fmt::format("This may be due to {}, which heddle cannot see into: both threads went through it "
                        "between the accesses.",
                        escaped(part.text)));
        paragraph(library_advice(escaped(part.text)));
      }
    }
  }

  void use_after_free() {
    message();
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHere || part.role == PartRole::kAccess) access(part);
    }
    location();
  }

  // What the raced memory is. Heap blocks are told with their allocation, by parts_of(kAllocated).
  void location() {
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kLocation) return location(part);
    }
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kAccess || part.role == PartRole::kHere) return location(part);
    }
  }

  void location(const TracePart& part) {
    const MemoryText memory = memory_text(trace_, part, out_.paths());
    if (memory.has_stack) {
      place(memory.text, part);
    } else if (!memory.text.empty()) {
      paragraph(memory.text);
    }
  }

  const TracePart* holder_of(const TracePart& waiter) const {
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHolds && part.address == waiter.address && part.thread == waiter.other)
        return &part;
    }
    return nullptr;
  }

  void deadlock() {
    message();
    std::string cycle;
    bool closed = true;
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kBlockedThread) continue;
      closed = closed && part.other != kNoThread;
      cycle += cycle.empty() ? "" : ", ";
      const std::string of = awaited_of(part, thread_tag(part.other));
      cycle += fmt::format("{} waits for {}{}{}", thread_tag(part.thread), waited_for(part),
                           of.empty() ? "" : " ", of);
    }
    if (!cycle.empty() && is_full_)
      paragraph(out_.style().bold((closed ? "Cycle: " : "Blocked: ") + cycle + "."));
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kBlockedThread) continue;
      const std::string of = awaited_of(part, thread_text(part.other));
      place(fmt::format("{} waits for {}{} at:", capitalised(thread_text(part.thread)),
                        object_or_thread(part), of.empty() ? "" : ", " + of + ","),
            part);
      holders(part);
    }
    parts_of(PartRole::kNotified);
  }

  // The one that is waited for; of an rwlock that several threads read, all of them.
  void holders(const TracePart& waiter) {
    if (const TracePart* holder = holder_of(waiter)) return taken(*holder);
    if (waiter.other != kNoThread || waiter.address == 0) return;
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHolds && part.address == waiter.address) taken(part);
    }
  }

  void taken(const TracePart& part) {
    place(fmt::format("{} took {} at:", capitalised(thread_text(part.thread)),
                      object(part, row_of(finding_.kind).noun)),
          part);
  }

  // In the cycle: the name alone.
  std::string waited_for(const TracePart& part) {
    if (is_join(part)) return thread_text(part.other) + " to end";
    if (part.address != 0) return awaited_gift(part) + name_of(part.address);
    return part.text.empty() ? "something that cannot happen" : escaped(part.text);
  }

  std::string object_or_thread(const TracePart& part) {
    if (is_join(part)) return thread_text(part.other) + " to end";
    return awaited_gift(part) + object(part, "object");
  }

  void lost_wake_up() {
    message();
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHere || part.role == PartRole::kBlockedThread) {
        place(fmt::format("{} waits for {}, and nobody is left to wake it, at:",
                          capitalised(thread_text(part.thread)), object(part, "condition variable")),
              part);
      }
    }
    parts_of(PartRole::kNotified);
  }

  void livelock() {
    message();
    if (finding_.message.empty() && is_full_)
      paragraph("No thread makes progress any more, however fairly they are scheduled.");
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kHere && part.role != PartRole::kBlockedThread) continue;
      const std::string what = part.address != 0 ? fmt::format(" on {}", name_of(part.address)) : "";
      place(fmt::format("{} loops{} at:", capitalised(thread_text(part.thread)), what), part);
    }
  }

  void lock_order() {
    message();
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHolds) taken(part);
      if (part.role == PartRole::kHere) {
        place(fmt::format("and, holding it, {} took {} at:", thread_text(part.thread),
                          object(part, row_of(finding_.kind).noun)),
              part);
      }
    }
  }

  // The message of a violated specification shows the history, a line for each thread.
  void history() {
    std::string_view rest = finding_.message;
    while (!rest.empty()) {
      const std::string_view next = first_line(rest);
      line(escaped(next));
      rest.remove_prefix(std::min(next.size() + 1, rest.size()));
    }
    out_.blank_line();
  }

  // Everything that one thread did wrong at one place.
  void failure() {
    const TracePart* here = nullptr;
    for (const TracePart& part : finding_.parts) {
      if (here == nullptr && (part.role == PartRole::kHere || part.role == PartRole::kAccess)) here = &part;
    }
    std::string what = escaped(finding_.message);
    if (finding_.kind == FindingKind::kSignal) {
      const std::string name = signal_name(finding_.signal);
      if (!what.starts_with(name)) what = name + (what.empty() ? "" : ": " + what);
      if (here != nullptr && here->address != 0) what += fmt::format(", address {:#x}", here->address);
    } else if (here != nullptr && here->address != 0) {
      what += (what.empty() ? "" : ": ") + object(*here, row_of(finding_.kind).noun);
    }
    if (finding_.kind == FindingKind::kNotLinearizable) {
      history();  // where it was judged is nobody's fault
      return;
    }
    if (!what.empty() && is_full_) paragraph(what);
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHere || part.role == PartRole::kAccess) {
        place(fmt::format("In {} at:", thread_text(part.thread)), part);
      }
    }
    for (const TracePart& part : finding_.parts) {
      if (part.role == PartRole::kHolds) {
        taken(part);
      } else if (part.role == PartRole::kPreviousAccess) {
        access(part);
      } else if (part.role == PartRole::kBlockedThread) {
        place(
            fmt::format("{} waits for {} at:", capitalised(thread_text(part.thread)), object_or_thread(part)),
            part);
      }
    }
  }

  void parts_of(PartRole role) {
    for (const TracePart& part : finding_.parts) {
      if (part.role != role) continue;
      const std::string who = thread_text(part.thread);
      switch (role) {
        case PartRole::kAllocated:
          place(fmt::format("Location is heap block of size {} at {:#x} allocated by {}:", part.block_size,
                            part.block, who),
                part);
          break;
        case PartRole::kFreed:
          place(fmt::format("Freed by {} at:", who), part);
          break;
        case PartRole::kThreadEnded:
          place(fmt::format("{} ended after it was last at:", capitalised(who)), part);
          break;
        case PartRole::kInitialised:
          place(fmt::format("{} initialised it at:", capitalised(who)), part);
          break;
        case PartRole::kDestroyed:
          place(fmt::format("{} destroyed it at:", capitalised(who)), part);
          break;
        case PartRole::kNotified:
          place(part.other != kNoThread
                    ? fmt::format("{} signalled it, which woke {} instead, at:", capitalised(who),
                                  thread_text(part.other))
                    : fmt::format("{} signalled it before that, at:", capitalised(who)),
                part);
          break;
        case PartRole::kSettled:
          place(
              fmt::format("{} joined or detached {} before, at:", capitalised(who), thread_text(part.other)),
              part);
          break;
        case PartRole::kWaits:
          place(fmt::format("{} was waiting for {} at:", capitalised(who), object_or_thread(part)), part);
          break;
        default:
          place(fmt::format("{} was at:", capitalised(who)), part);
          break;
      }
    }
  }

  void threads() {
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kThreadCreated) continue;
      const std::string function = thread_function(trace_, part.thread);
      const std::string name = function.empty() ? "" : fmt::format(" '{}'", short_function(function, 60));
      place(fmt::format("{}{} created by {} at:", capitalised(thread_text(part.thread)), name,
                        thread_text(part.other)),
            part);
    }
  }

  const Trace& trace_;
  const TraceFinding& finding_;
  const TextOptions& options_;
  Names& names_;
  bool is_full_;
  std::vector<HeldLock> locks_;  // that the accesses told so far were made under
  std::map<Address, std::size_t> lock_numbers_;
  StackWriter out_;
};

}  // namespace

std::string stacks_text(const Trace& trace, const TraceFinding& finding, const TextOptions& options,
                        Names& names) {
  return Stacks(trace, finding, options, names).write();
}

}  // namespace heddle::report
