#include "tool/report/plain_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tool/report/escape.h"
#include "tool/report/interference.h"
#include "tool/report/messages.h"
#include "tool/report/missed_store.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"
#include "tool/report/waits.h"
#include "tool/trace/held_locks.h"
#include "tool/trace/test_failure.h"

namespace heddle::report {
namespace {

std::string a_or_an(std::string_view word) {
  const bool vowel = !word.empty() && std::string_view("aeiou").find(word[0]) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", word);
}

bool is_deed(const TracePart& part) { return part.access >= AccessKind::kAllocation; }

}  // namespace

const TracePart* part_of(const TraceFinding& finding, PartRole role) {
  for (const TracePart& part : finding.parts) {
    if (part.role == role) return &part;
  }
  return nullptr;
}

std::string deed_of(const TracePart& part) {
  const std::string what = part.text.empty() ? "" : " " + escaped(part.text);
  switch (part.access) {
    case AccessKind::kAllocation:
      return "allocated";
    case AccessKind::kFree:
      return "freed";
    case AccessKind::kThreadEnd:
      return "ended, and with it its stack and thread-local storage with";
    case AccessKind::kDestruction:
      return "destroyed the" + what;
    case AccessKind::kObjectUse:
      return "used the" + what;
    default:
      return is_write(part.access) ? "wrote" : "read";
  }
}

namespace {

constexpr std::size_t kMostMessage = 200;

// "EXPECT_EQ(n, 2)": the check that a line of a test has; empty where it has none or several, or goes on below.
std::string_view only_check_in(std::string_view line) {
  std::string_view found;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::string_view rest = line.substr(i);
    const bool begins =
        i == 0 || (std::isalnum(static_cast<unsigned char>(line[i - 1])) == 0 && line[i - 1] != '_');
    if (!begins || !(rest.starts_with("EXPECT_") || rest.starts_with("ASSERT_") ||
                     rest.starts_with("FAIL(") || rest.starts_with("ADD_FAILURE")))
      continue;
    std::size_t end = rest.find('(');
    if (!found.empty() || end == std::string_view::npos) return {};
    int depth = 0;
    for (; end < rest.size(); ++end) {
      depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
      if (depth == 0) break;
    }
    if (end == rest.size()) return rest;
    found = rest.substr(0, end + 1);
  }
  return found;
}

class FindingWords {
 public:
  FindingWords(const Trace& trace, const TraceFinding& finding, Names& names)
      : trace_(trace), finding_(finding), names_(names) {}

  std::string write() {
    switch (finding_.kind) {
      case FindingKind::kDataRace:
        return race();
      case FindingKind::kDeadlock:
        return deadlock();
      case FindingKind::kLostWakeUp:
        return lost_wake_up();
      case FindingKind::kHeapUseAfterFree:
      case FindingKind::kDoubleFree:
        return after_free();
      case FindingKind::kStackUseAfterEnd:
      case FindingKind::kThreadLocalUseAfterEnd:
        return after_end();
      case FindingKind::kLivelock:
        return "Threads go on running, but nothing changes any more, however fairly they are scheduled.";
      case FindingKind::kNotLinearizable:
        return history();
      case FindingKind::kTestFailure:
        return failed_check() + cause();
      case FindingKind::kNonZeroExit:
        return fmt::format("The program ended with exit status {}.", finding_.exit_status) + cause();
      case FindingKind::kLockOrderInversion:
        return "Two locks are taken in both orders: threads that do so at the same time block each other for "
               "ever.";
      default:
        return failure();
    }
  }

 private:
  std::string at(std::uint64_t pc, StackId stack) const {
    const std::string place = short_place(trace_, pc, stack);
    return place.empty() ? "" : " at " + place;
  }
  std::string at(const TracePart& part) const { return at(part.pc, part.stack); }
  static std::string who(ThreadId thread) { return thread_tag(thread); }

  std::string race() {
    const TracePart* later = part_of(finding_, PartRole::kAccess);
    const TracePart* earlier = part_of(finding_, PartRole::kPreviousAccess);
    if (later == nullptr || earlier == nullptr) return failure();
    std::string text = fmt::format(
        "{} {} {}{}, and {} {} it{}. Nothing orders these two {}.", who(earlier->thread), deed_of(*earlier),
        names_.variable(earlier->address, earlier->event), at(*earlier), who(later->thread), deed_of(*later),
        at(*later), is_deed(*earlier) || is_deed(*later) ? "steps" : "accesses");
    return text + locks(*earlier, *later) + message_without_order(*earlier, *later);
  }

  std::string lock_names(const TracePart& part) {
    std::string text;
    for (const HeldLock& lock : held_locks(trace_, part.thread, part.event))
      text += (text.empty() ? "" : ", ") + names_.variable(lock.address, part.event);
    return text;
  }

  std::string locks(const TracePart& earlier, const TracePart& later) {
    const std::string first = lock_names(earlier), second = lock_names(later);
    if (first.empty() && second.empty()) return {};
    const auto held = [](const std::string& names) { return names.empty() ? std::string("no lock") : names; };
    return fmt::format(" {} held {} and {} held {}.", who(earlier.thread), held(first), who(later.thread),
                       held(second));
  }

  std::string message_without_order(const TracePart& earlier, const TracePart& later) {
    const auto found =
        report::message_without_order(trace_, earlier.thread, earlier.event, later.thread, later.event);
    if (!found) return {};
    const auto [store, load] = *found;
    return fmt::format(" {} had read {} from {}{}, but {} store and {} load do not synchronise.",
                       who(later.thread), names_.variable(load->address, load->id), who(earlier.thread),
                       at(store->pc, store->stack), a_or_an(order_name(store->order)),
                       a_or_an(order_name(load->order)));
  }

  std::string deadlock() {
    std::string text;
    for (const TracePart& part : finding_.parts) {
      if (part.role != PartRole::kBlockedThread) continue;
      std::string held;
      for (const TracePart& other : finding_.parts) {
        if (other.role == PartRole::kHolds && other.thread == part.thread)
          held += (held.empty() ? "" : ", ") + names_.variable(other.address);
      }
      text += fmt::format("{}{}{} waits{} for {}", text.empty() ? "" : "; ", who(part.thread),
                          held.empty() ? "" : fmt::format(" holds {} and", held), at(part), waited_for(part));
    }
    if (text.empty()) return failure();
    if (const TracePart* signal = part_of(finding_, PartRole::kNotified)) {
      return fmt::format("{}. It could go on, but the signal that {} gave{} woke {} instead.", text,
                         who(signal->thread), at(*signal), who(signal->other));
    }
    return text + ". None of them can go on.";
  }

  std::string waited_for(const TracePart& part) {
    if (part.address == 0)
      return part.other != kNoThread ? who(part.other) + " to end" : "what cannot happen";
    const std::string gift = awaited_gift(part);
    std::string object = gift + names_.variable(part.address);
    if (part.other == kNoThread) return object;
    return fmt::format("{}, which {} {}", object, who(part.other), gift.empty() ? "holds" : "would give");
  }

  std::string lost_wake_up() {
    const TracePart* waiter = part_of(finding_, PartRole::kHere);
    if (waiter == nullptr) waiter = part_of(finding_, PartRole::kBlockedThread);
    if (waiter == nullptr) waiter = part_of(finding_, PartRole::kWaits);
    if (waiter == nullptr) return failure();
    std::string text = fmt::format("{} waits for ever on {}{}", who(waiter->thread),
                                   names_.variable(waiter->address), at(*waiter));
    if (const TracePart* signal = part_of(finding_, PartRole::kNotified))
      text += fmt::format(": {} had signalled it{} before it waited", who(signal->thread), at(*signal));
    text += ".";
    const auto write = predicate_write(trace_, *waiter);
    if (!write || !held_locks(trace_, write->thread, write->event).empty()) return text;
    return text + fmt::format(" {} had written {}{} without a lock.", who(write->thread),
                              names_.variable(write->address, write->event), at(write->pc, write->stack));
  }

  std::string after_free() {
    const TracePart* here = part_of(finding_, PartRole::kHere);
    if (here == nullptr) here = part_of(finding_, PartRole::kAccess);
    const TracePart* freed = part_of(finding_, PartRole::kFreed);
    if (here == nullptr || freed == nullptr) return failure();
    const char* did = finding_.kind == FindingKind::kDoubleFree ? "freed"
                      : is_write(here->access)                  ? "wrote to"
                      : here->access == AccessKind::kNone       ? "accessed"
                                                                : "read";
    return fmt::format("{} {} {}{} after {} had freed it{}.", who(here->thread), did,
                       names_.variable(here->address, here->event), at(*here), who(freed->thread),
                       at(*freed));
  }

  std::string after_end() {
    const TracePart* here = part_of(finding_, PartRole::kHere);
    const TracePart* ended = part_of(finding_, PartRole::kThreadEnded);
    if (here == nullptr || ended == nullptr) return failure();
    return fmt::format("{} {} {}, {} of {}{}, after {} had ended.", who(here->thread),
                       is_write(here->access) ? "wrote to" : "used",
                       names_.variable(here->address, here->event),
                       finding_.kind == FindingKind::kStackUseAfterEnd ? "which was on the stack"
                                                                       : "which was thread-local storage",
                       who(ended->thread), at(*here), who(ended->thread));
  }

  std::string failure() {
    const TracePart* here = part_of(finding_, PartRole::kHere);
    std::string what = escaped(finding_.message);
    if (what.empty()) what = to_string(finding_.kind);
    while (what.ends_with('.')) what.pop_back();
    if (here == nullptr) return clipped(what, kMostMessage) + "." + cause();
    return fmt::format("{} failed{}: {}.", who(here->thread), at(*here), clipped(what, kMostMessage)) +
           cause();
  }

  // "EXPECT_EQ(hits, 4) failed at cache_test.cpp:30 in Cache.Evicts: Expected equality of these values: …".
  std::string failed_check() {
    const auto failure = first_test_failure(trace_.output);
    if (!failure) return fmt::format("A test failed: {}.", clipped(escaped(finding_.message), kMostMessage));
    std::string check = "A check";
    if (const std::string* line =
            trace_.symbols.source_line(source_file_of(*failure, trace_.symbols), failure->line)) {
      if (const std::string_view text = only_check_in(*line); !text.empty())
        check = clipped(escaped(text), 70);
    }
    const std::string place =
        failure->line == 0 ? "" : fmt::format(" at {}:{}", escaped(base_name(failure->file)), failure->line);
    const std::string test = failure->test.empty() ? "" : " in " + escaped(failure->test);
    std::string what = escaped(failure->text);
    while (what.ends_with('.')) what.pop_back();
    return fmt::format("{} failed{}{}{}.", check, place, test,
                       what.empty() ? "" : ": " + clipped(what, kMostMessage));
  }

  // Why it came to this, as far as the execution shows it.
  std::string cause() {
    // No other thread was there to disturb it.
    if (trace_.result.threads == 1)
      return " No other thread had run: does the program need arguments, a file or a variable?";
    if (std::string text = stale(); !text.empty()) return text;
    const auto found = interference(trace_, finding_);
    if (!found) return {};
    const auto did = [](const SharedAccess& a) { return a.reads ? (a.writes ? "update" : "read") : "write"; };
    const auto& [first, between, second, released] = *found;
    std::string text = fmt::format(" {} {} {}{} between {}'s {}{} and its {}{}.", who(between.thread),
                                   between.reads ? (between.writes ? "updated" : "read") : "wrote",
                                   names_.variable(between.address, between.event),
                                   at(between.pc, between.stack), who(first.thread), did(first),
                                   at(first.pc, first.stack), did(second), at(second.pc, second.stack));
    if (released != 0)
      text += fmt::format(" {} gave up {} in between.", who(first.thread), names_.variable(released));
    return text;
  }

  // What it is, and why: the first two lines. The others are the history itself.
  std::string history() {
    const std::string& message = finding_.message;
    const std::size_t first = message.find('\n');
    if (first == std::string::npos) return failure();
    const std::size_t second = std::min(message.find('\n', first + 1), message.size());
    return fmt::format("{}. {}", escaped(message.substr(0, first)),
                       clipped(escaped(message.substr(first + 1, second - first - 1)), 300)) +
           cause();
  }

  std::string stale() {
    const TraceEvent* read = telling_stale_read(trace_, finding_);
    if (read == nullptr) return {};
    const TraceEvent* from = read->reads_from == kNoEvent ? nullptr : trace_.find_event(read->reads_from);
    const auto [missed, how] = missed_store(trace_, *read).value_or(MissedStore{});
    const bool is_old = how == MissedStore::How::kNewer;
    const std::string what = fmt::format(
        " {} read {}{}{}: {}{}", who(read->thread), is_old ? "an old " : "",
        names_.variable(read->address, read->id), at(read->pc, read->stack),
        names_.value(read->value, read->size, read->id),
        from == nullptr ? ", the initial value" : fmt::format(", stored by {}", who(from->thread)));
    if (is_old) return what + ", although a newer value had been stored before.";
    // The order of time is not the one that counts.
    const bool is_later = how == MissedStore::How::kOrderedBefore;
    return what + fmt::format(". {} stored {}{} {}, but that lies {} it in modification order.",
                              who(missed->thread),
                              names_.value(value_written(*missed), missed->size, missed->id),
                              at(missed->pc, missed->stack), is_later ? "later" : "earlier",
                              is_later ? "before" : "after");
  }

  const Trace& trace_;
  const TraceFinding& finding_;
  Names& names_;
};

}  // namespace

const TraceEvent* telling_stale_read(const Trace& trace, const TraceFinding& finding) {
  const TracePart* here = part_of(finding, PartRole::kHere);
  const TraceEvent* other = nullptr;
  for (auto e = trace.events.rbegin(); e != trace.events.rend(); ++e) {
    if ((e->flags & event_flags::kStale) == 0 || (finding.event != kNoEvent && e->id > finding.event))
      continue;
    if (here == nullptr || e->thread == here->thread) return &*e;
    if (other == nullptr) other = &*e;
  }
  return other;
}

std::string plain_words(const Trace& trace, const TraceFinding& finding, Names& names) {
  return FindingWords(trace, finding, names).write();
}

std::string plain_words(const Trace& trace, const TraceFinding& finding) {
  Names names(trace);
  return plain_words(trace, finding, names);
}

}  // namespace heddle::report
