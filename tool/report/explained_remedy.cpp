// What should be changed, in words: the language of fixes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tool/report/escape.h"
#include "tool/report/explained.h"
#include "tool/report/names.h"
#include "tool/report/operation.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

// "50s", "4m": as -t takes it, rounded up.
std::string short_duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f}s", std::ceil(seconds / 10) * 10);
  if (seconds < 2 * kHour) return fmt::format("{:.0f}m", std::ceil(seconds / kMinute));
  return fmt::format("{:.0f}h", std::ceil(seconds / kHour));
}

std::string place_of(const Frame& frame) {
  if (frame.file.empty())
    return frame.function.empty() ? "an unknown place" : short_function(frame.function, 30);
  return frame.line != 0 ? fmt::format("{}:{}", escaped(base_name(frame.file)), frame.line)
                         : escaped(base_name(frame.file));
}

const char* verb_of(EventKind kind) {
  switch (kind) {
    case EventKind::kAtomicLoad:
      return "load";
    case EventKind::kAtomicStore:
      return "store";
    case EventKind::kAtomicUpdate:
    case EventKind::kCasFailed:
      return "update";
    case EventKind::kFence:
      return "fence";
    case EventKind::kPlainRead:
    case EventKind::kVolatileRead:
      return "read";
    case EventKind::kPlainWrite:
    case EventKind::kVolatileWrite:
      return "write";
    case EventKind::kMutexLock:
    case EventKind::kRwlockWriteLock:
      return "lock";
    case EventKind::kRwlockReadLock:
      return "shared lock";
    case EventKind::kMutexUnlock:
    case EventKind::kRwlockUnlock:
      return "unlock";
    case EventKind::kNone:
      return "access";
    default:
      return event_kind_name(kind);
  }
}

// "the store of flag at mp.cpp:9"
std::string named(const ShownOperation& operation) {
  std::string text = fmt::format("the {}", verb_of(operation.event.kind));
  if (!operation.variable.empty()) text += " of " + escaped(operation.variable);
  return text + " at " + place_of(operation.frame);
}

std::string joined(const std::vector<std::string>& parts, const char* last = " and ") {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? last : ", ") + parts[i];
  return text;
}

std::string orders_sentence(const Remedy& remedy) {
  std::vector<std::string> parts;
  for (const RemedyPart& part : remedy.parts) {
    // One line of the source may be at several places in the program.
    const std::string text =
        fmt::format("{} {} (it is {})", named(part.shown), order_name(part.rule.order), order_name(part.was));
    if (std::find(parts.begin(), parts.end(), text) == parts.end()) parts.push_back(text);
  }
  return "Make " + joined(parts) + ".";
}

// What all parts name, each once.
std::vector<std::string> all_named(const Remedy& remedy) {
  std::vector<std::string> found;
  for (const RemedyPart& part : remedy.parts) {
    for (const ShownOperation* access : {&part.shown, &part.other_shown}) {
      const std::string text = named(*access);
      if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
    }
  }
  return found;
}

bool is_same_place(const ShownOperation& a, const ShownOperation& b) {
  return a.frame.file == b.frame.file && a.frame.line == b.frame.line;
}

std::string lock_name(const std::string& lock) { return lock.empty() ? "the same lock" : escaped(lock); }

// " (from lru.cpp:95 to lru.cpp:98 in ThumbServer::get)": where the accesses are made in calls of one function.
std::string within(const RemedyPart& part, const ShownOperation& first, const ShownOperation& last) {
  if (part.from.line == 0 || part.from.line == part.to.line) return {};
  if (part.from.line == first.frame.line && part.to.line == last.frame.line) return {};
  return fmt::format(" (from {} to {} in {})", place_of(part.from), place_of(part.to),
                     short_function(part.from.function, 40));
}

// Several accesses to one variable are one update; two critical sections are one; else a new one.
std::string together_sentence(const Remedy& remedy) {
  const RemedyPart& begin = remedy.parts.front();
  const auto step = std::find_if(remedy.parts.begin(), remedy.parts.end(),
                                 [](const RemedyPart& p) { return p.rule.kind == RuleKind::kTogether; });
  const RemedyPart& part = step == remedy.parts.end() ? begin : *step;
  if (begin.rule.kind == RuleKind::kHoldLock)
    return fmt::format(
        "Take {} before {}, and keep it until {}{}: what is seen before the lock is taken need not be so any "
        "more.",
        lock_name(begin.lock), named(begin.shown), named(part.last_access),
        within(part, begin.shown, part.last_access));
  const ShownOperation& first =
      part.first_access.event.kind != EventKind::kNone ? part.first_access : part.shown;
  const ShownOperation& last =
      part.first_access.event.kind != EventKind::kNone ? part.last_access : part.other_shown;
  const bool one_variable = !first.variable.empty() && first.variable == last.variable;
  if (is_same_place(first, last) && one_variable) {
    std::vector<std::string> places;
    for (const RemedyPart& update : remedy.parts) {
      const std::string place = place_of(update.shown.frame);
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    }
    return fmt::format(
        "Make the update of {} at {} one step: an atomic read-modify-write, or a lock around it.",
        escaped(first.variable), joined(places));
  }
  if (!part.lock.empty())
    return fmt::format(
        "Keep {} locked from {} to {}{}: they belong to one critical section, and others come between.",
        escaped(part.lock), named(first), named(last), within(part, first, last));
  const std::string between = fmt::format("from {} to {}", named(part.shown), named(part.other_shown));
  if (part.first_access.event.kind == EventKind::kNone)
    return fmt::format("All {} should be one step: other threads must not come between.", between);
  return fmt::format("{} and {} should be one step{}: other threads must not come between, as they do {}.",
                     capitalised(named(first)), named(last), within(part, first, last), between);
}

// All threads of the cycle wait at one line: they run the same code, with the locks in another order each.
bool is_one_line(const Trace& trace) {
  std::set<std::string> lines;
  for (const TracePart& part : trace.findings.front().parts) {
    if (part.role == PartRole::kBlockedThread) lines.insert(short_place(trace, part.pc, part.stack));
  }
  return lines.size() == 1;
}

std::string lock_order_sentence(const Trace& trace, const Remedy& remedy) {
  if (const RemedyPart& part = remedy.parts.front(); part.rule.kind == RuleKind::kGiveBack)
    return fmt::format(
        "Give {} back before the {} at {}: it is taken at {}, and the thread that is waited for needs it.",
        lock_name(part.lock), part.shown.event.kind == EventKind::kCondWait ? "wait" : "join",
        place_of(part.shown.frame), place_of(part.other_shown.frame));
  std::vector<std::string> stretches;
  for (const RemedyPart& p : remedy.parts) {
    const std::string stretch = fmt::format("{} and {}", named(p.shown), named(p.other_shown));
    const bool known = std::find(stretches.begin(), stretches.end(), stretch) != stretches.end();
    if (p.rule.kind == RuleKind::kTogether && !known) stretches.push_back(stretch);
  }
  const RemedyPart& last = remedy.parts.back();
  const bool one_takes_first = remedy.parts.front().rule.kind == RuleKind::kHoldLock && stretches.size() == 1;
  if (is_one_line(trace))
    return fmt::format(
        "Take both locks in one step (std::scoped_lock), or always in the same order, as by address: {}.",
        stretches.front());
  if (one_takes_first && !is_same_place(last.shown, last.other_shown))
    return fmt::format(
        "Take {} before {}, not after it at {}: others take them in that order. Or take both in one step "
        "(std::scoped_lock).",
        last.lock.empty() ? "the lock of " + place_of(last.other_shown.frame) : escaped(last.lock),
        named(last.shown), place_of(last.other_shown.frame));
  return fmt::format("Take these locks in the same order everywhere, or in one step (std::scoped_lock): {}.",
                     joined(stretches, ", as well as "));
}

std::string lock_sentence(const Remedy& remedy) {
  const std::vector<std::string> accesses = all_named(remedy);
  if (accesses.size() == 1) return fmt::format("Protect {} by a lock, or make it atomic.", accesses[0]);
  return fmt::format("Protect {} by one lock.", joined(accesses));
}

std::string atomic_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  const std::string what = part.shown.variable.empty() ? "what is accessed" : escaped(part.shown.variable);
  const char* orders =
      is_acquire(part.rule.order) ? "release for writes, acquire for reads" : "relaxed is enough";
  return fmt::format("Make {} atomic ({}): {} are not ordered.", what, orders, joined(all_named(remedy)));
}

std::string hold_lock_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  const RemedyPart& last = remedy.parts.back();
  if (last.rule.kind == RuleKind::kTogether && !is_same_place(last.shown, part.shown))
    return fmt::format(
        "Hold {} during {}, and notify after it: who waits at that lock does not see it yet at {}.",
        lock_name(part.lock), named(part.shown), place_of(last.shown.frame));
  return fmt::format("Hold {} during {}: it is taken at {}, and not here.", lock_name(part.lock),
                     named(part.shown), place_of(part.other_shown.frame));
}

std::string notify_all_sentence(const Remedy& remedy) {
  std::vector<std::string> places;
  for (const RemedyPart& part : remedy.parts) {
    const std::string place = place_of(part.shown.frame);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return fmt::format(
      "Wake all that wait (notify_all, pthread_cond_broadcast) at {}: the one that is woken may be the "
      "wrong one.",
      joined(places));
}

std::string recheck_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  if (part.rule.kind == RuleKind::kAfter)
    return fmt::format(
        "Look whether there is something to wait for before the wait at {}: the notification at {} can "
        "come first, and is lost.",
        place_of(part.other_shown.frame), place_of(part.shown.frame));
  return fmt::format(
      "Look again after the wait at {} (while instead of if, or wait with a predicate): what was true "
      "when it was woken need not be true any more.",
      place_of(part.shown.frame));
}

std::string start_later_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  return fmt::format("Start the thread at {} only after {}: its {} comes too early.",
                     place_of(part.first_access.frame), named(remedy.parts.back().other_shown),
                     named(part.shown).substr(4));
}

std::string publish_last_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  return fmt::format("Do {} last, after {}: others see it and use what is not there yet.", named(part.shown),
                     named(part.other_shown));
}

std::string join_before_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  const std::string use = part.first_access.frame.file.empty()
                              ? std::string(".")
                              : fmt::format(": it still uses this at {}.", place_of(part.first_access.frame));
  return fmt::format("Wait for the thread that is started at {} (join it) before {}{}",
                     place_of(part.other_shown.frame), named(part.shown), use);
}

std::string keep_alive_sentence(const Remedy& remedy) {
  const RemedyPart& part = remedy.parts.front();
  return fmt::format("Do not end the life of it at {} before {}: free it later, or share its ownership.",
                     place_of(part.shown.frame), named(part.other_shown));
}

std::string fence_sentence(const Remedy& remedy) {
  std::vector<std::string> fences;
  for (const RemedyPart& part : remedy.parts) {
    const std::string after = part.other_shown.frame.file.empty()
                                  ? std::string()
                                  : fmt::format("after {} and ", named(part.other_shown));
    const std::string text =
        fmt::format("{} {}before {}", order_name(part.rule.order), after, named(part.shown));
    if (std::find(fences.begin(), fences.end(), text) == fences.end()) fences.push_back(text);
  }
  return fmt::format("Put {} (std::atomic_thread_fence): {}.", fences.size() == 1 ? "a fence" : "fences",
                     joined(fences));
}

}  // namespace

std::string remedy_sentence(const Explanation& e) {
  if (!e.remedy || e.remedy->parts.empty() || e.failing.trace.findings.empty()) return {};
  const Remedy& remedy = *e.remedy;
  const RemedyPart& part = remedy.parts.front();
  switch (remedy.kind) {
    case RemedyKind::kOrders:
      return orders_sentence(remedy);
    case RemedyKind::kTogether:
      return together_sentence(remedy);
    case RemedyKind::kAfter:
      return fmt::format("{} must wait for {}.", capitalised(named(part.shown)), named(part.other_shown));
    case RemedyKind::kLock:
      return lock_sentence(remedy);
    case RemedyKind::kAtomic:
      return atomic_sentence(remedy);
    case RemedyKind::kLockOrder:
      return lock_order_sentence(e.failing.trace, remedy);
    case RemedyKind::kHoldLock:
      return hold_lock_sentence(remedy);
    case RemedyKind::kNotifyAll:
      return notify_all_sentence(remedy);
    case RemedyKind::kRecheck:
      return recheck_sentence(remedy);
    case RemedyKind::kStartLater:
      return start_later_sentence(remedy);
    case RemedyKind::kPublishLast:
      return publish_last_sentence(remedy);
    case RemedyKind::kJoinBefore:
      return join_before_sentence(remedy);
    case RemedyKind::kKeepAlive:
      return keep_alive_sentence(remedy);
    case RemedyKind::kFence:
      return fence_sentence(remedy);
  }
  return {};
}

std::string remedy_evidence(const Explanation& e) {
  if (!e.remedy) return {};
  const Remedy& r = *e.remedy;
  std::string text = fmt::format("Tried: {}{} execution{} that {} held to it did not show the bug",
                                 r.is_complete ? "all " : "", grouped(r.executions),
                                 r.executions == 1 ? "" : "s", r.executions == 1 ? "was" : "were");
  text += e.base_executions != 0
              ? fmt::format("; without it, it shows within {}.", grouped(e.base_executions))
              : std::string("; without it, it shows so rarely that this says little.");
  // A change without effect may pass, too, and the fewer executions there were the more often.
  const double by_chance =
      e.base_executions == 0
          ? 0
          : std::exp(-static_cast<double>(r.executions) / static_cast<double>(e.base_executions));
  if (by_chance > 0.01 && !r.is_complete)
    text += fmt::format(" By chance alone that happens in {:.0f} % of the cases: give it more time (-t).",
                        std::max(1.0, by_chance * 100));
  if (!r.other_bugs.empty()) {
    std::vector<std::string> others;
    for (const std::string& bug : r.other_bugs) {
      if (std::find(others.begin(), others.end(), escaped(bug)) == others.end())
        others.push_back(escaped(bug));
    }
    text += fmt::format(" Other bugs showed: {}.", joined(others));
  }
  return text;
}

std::string no_remedy_text(const Explanation& e) {
  if (e.remedy || e.remedies_tried == 0) return {};
  if (e.remedies_cut) {
    std::string text =
        fmt::format("The time was up after {} of about {} changes; none of these makes the bug go away",
                    grouped(e.remedies_tried), grouped(e.remedies_tried + e.remedies_left));
    if (e.remedies_unproven != 0)
      text += fmt::format(" for certain: {} did in too few executions to tell", grouped(e.remedies_unproven));
    return e.seconds_needed > 0
               ? fmt::format("{}. All of them would take about {} (-t {}).", text,
                             short_duration(e.seconds_needed), short_duration(e.seconds_needed))
               : text + ". Give it more (-t).";
  }
  return fmt::format(
      "Of {} changes that were tried, none makes the bug go away: memory orders, locks and their order, "
      "steps, waits, starts and ends of threads and memory. It may be the program's logic.",
      grouped(e.remedies_tried));
}

}  // namespace heddle::report
