#include "tool/report/operation.h"

#include <fmt/format.h>

#include "core/trace/event_kinds.h"
#include "tool/report/escape.h"
#include "tool/report/missed_store.h"
#include "tool/report/places.h"

namespace heddle::report {
namespace {

class Words {
 public:
  Words(const Trace& trace, const TraceEvent& event, Names& names)
      : trace_(trace), e_(event), names_(names) {}

  std::string memory(std::string_view verb) const {
    const std::string at = names_.location(e_.address, e_.id);
    const std::string value = names_.value(e_.value, e_.size, e_.id);
    switch (e_.kind) {
      case EventKind::kAtomicLoad:
        return fmt::format("{} {} → {} {}", verb, at, value, order_name(e_.order));
      case EventKind::kAtomicStore:
        return fmt::format("{} {} = {} {}", verb, at, value, order_name(e_.order));
      case EventKind::kAtomicUpdate:
        return fmt::format("{} {} {} → {} {}", verb, at, value, names_.value(e_.value2, e_.size, e_.id),
                           order_name(e_.order));
      case EventKind::kCasFailed:
        return fmt::format("{} {} failed, saw {} {}", verb, at, value, order_name(e_.order));
      case EventKind::kPlainWrite:
      case EventKind::kVolatileWrite:
        return fmt::format("{} {} = {}", verb, at, value);
      default:
        return fmt::format("{} {} → {}", verb, at, value);
    }
  }
  std::string on(std::string_view verb) const {
    return fmt::format("{} {}", verb, names_.location(e_.address, e_.id));
  }
  std::string thread(std::string_view verb) const { return fmt::format("{} {}", verb, thread_tag(e_.other)); }
  std::string text(std::string_view verb) const {
    const std::string said = escaped(first_line(trace_.text_of(e_)));
    return said.empty() ? std::string(verb) : fmt::format("{} {}", verb, said);
  }
  std::string block() const {
    return fmt::format("allocate {} ({} bytes)", names_.location(e_.address, e_.id), e_.value);
  }

 private:
  const Trace& trace_;
  const TraceEvent& e_;
  Names& names_;
};

std::string text_of(const Trace& trace, const TraceEvent& e, Names& names) {
  const Words words(trace, e, names);
  switch (e.kind) {
    case EventKind::kAtomicLoad:
      return words.memory("load");
    case EventKind::kAtomicStore:
      return words.memory("store");
    case EventKind::kAtomicUpdate:
      return words.memory("update");
    case EventKind::kCasFailed:
      return words.memory("cas");
    case EventKind::kPlainRead:
      return words.memory("read");
    case EventKind::kPlainWrite:
      return words.memory("write");
    case EventKind::kVolatileRead:
      return words.memory("volatile read");
    case EventKind::kVolatileWrite:
      return words.memory("volatile write");
    case EventKind::kFence:
      return fmt::format("fence {}", order_name(e.order));
    case EventKind::kThreadStart:
      return "starts";
    case EventKind::kThreadEnd:
      return "ends";
    case EventKind::kThreadCreate:
      return words.thread("create");
    case EventKind::kThreadJoin:
      return words.thread("join");
    case EventKind::kThreadDetach:
      return words.thread("detach");
    case EventKind::kMutexLock:
      return words.on((e.flags & event_flags::kFailed) != 0 ? "waits for ever for" : "lock");
    case EventKind::kMutexTryLockFailed:
      return words.on("try_lock failed");
    case EventKind::kMutexUnlock:
      return words.on("unlock");
    case EventKind::kCondWait:
      return words.on("wait on");
    case EventKind::kCondWake:
      return words.on("woke up from");
    case EventKind::kCondSignal:
      return words.on("notify_one") +
             (e.other == kNoThread ? ", nobody waits" : ", wakes " + thread_tag(e.other));
    case EventKind::kCondBroadcast:
      return words.on("notify_all");
    case EventKind::kRwlockReadLock:
      return words.on("lock_shared");
    case EventKind::kRwlockWriteLock:
      return words.on("lock");
    case EventKind::kRwlockUnlock:
      return words.on("unlock");
    case EventKind::kBarrierWait:
      return words.on("wait at barrier");
    case EventKind::kSemaphoreWait:
      return words.on("acquire semaphore");
    case EventKind::kSemaphorePost:
      return words.on("release semaphore");
    case EventKind::kFutexWait:
      return words.on("futex wait");
    case EventKind::kFutexWake:
      return words.on("futex wake");
    case EventKind::kOnce:
      return words.on("call_once");
    case EventKind::kYield:
      return "yield";
    case EventKind::kSleep:
      return "sleep";
    case EventKind::kAllocate:
      return words.block();
    case EventKind::kFree:
      return words.on("free");
    case EventKind::kBlockingCall:
      return words.text("blocking call");
    case EventKind::kNote:
      return words.text("note:");
    case EventKind::kOutcome:
      return words.text("outcome:");
    case EventKind::kValueChoice:
      return fmt::format("choose → {}", e.value);
    case EventKind::kExit:
      return fmt::format("exit {}", e.value);
    case EventKind::kFinding:
      return words.text("***");
    case EventKind::kSignal:
      return fmt::format("{} signal {}", (e.flags & event_flags::kHandled) != 0 ? "handles" : "sends",
                         e.value);
    case EventKind::kThreadCancel:
      return fmt::format("cancel T{}", index_of(e.other));
    case EventKind::kNone:
    case EventKind::kCount:
      break;
  }
  return "?";
}

}  // namespace

std::uint64_t value_written(const TraceEvent& e) {
  return e.kind == EventKind::kAtomicUpdate ? e.value2 : e.value;
}

std::string Operation::line(char no_break) const {
  std::string all = text;
  if (!source.empty()) {
    std::string whole = source;
    for (char& c : whole) c = c == ' ' ? no_break : c;
    all += " " + whole;
  }
  if (!remark.empty()) all += fmt::format(" ({})", remark);
  return all;
}

Operation describe(const Trace& trace, const TraceEvent& e, Names& names) {
  Operation operation;
  operation.text = text_of(trace, e, names);
  if (reads_memory(e.kind)) {
    if (e.reads_from != kNoEvent) {
      const TraceEvent* from = trace.find_event(e.reads_from);
      operation.source = from != nullptr
                             ? fmt::format("← {} #{}", thread_tag(from->thread), index_of(e.reads_from))
                             : fmt::format("← #{}", index_of(e.reads_from));
    } else if (e.flags & event_flags::kInitial) {
      operation.source = "← initial";
    }
  }
  const auto remark = [&](const std::string& text) {
    operation.remark += operation.remark.empty() ? text : ", " + text;
  };
  if (e.flags & event_flags::kStale) {
    operation.is_stale = true;
    const auto missed = missed_store(trace, e);
    remark(missed ? stale_words(*missed, names) : "STALE");
  }
  if (e.overtaken != 0)
    remark(fmt::format("overtakes {} seq_cst {} in S", e.overtaken,
                       e.overtaken == 1 ? "operation" : "operations"));
  if (e.flags & event_flags::kBlocked) remark("had to wait");
  if (e.flags & event_flags::kTimedOut) remark("timed out");
  if (e.flags & event_flags::kSpurious) remark("spurious");
  if (e.flags & event_flags::kFailed) remark("failed");
  if (e.flags & event_flags::kLatestOnly) remark("mixed sizes: newest value only");
  return operation;
}

std::string describe_access(const TracePart& access, Names& names) {
  return fmt::format("{} {} ({} {})", access.access == AccessKind::kWrite ? "write" : "read",
                     names.location(access.address, access.event), access.size,
                     access.size == 1 ? "byte" : "bytes");
}

std::string describe_access(const TraceAccess& access, Names& names) {
  const std::string at = names.location(access.address, access.after);
  const std::string value = names.value(access.value, access.size, access.after);
  return access.writes ? fmt::format("write {} = {}", at, value) : fmt::format("read {} → {}", at, value);
}

const char* event_kind_name(EventKind kind) {
  constexpr const char* kNames[] = {"none",
                                    "atomic load",
                                    "atomic store",
                                    "atomic update",
                                    "failed compare-exchange",
                                    "fence",
                                    "read",
                                    "write",
                                    "volatile read",
                                    "volatile write",
                                    "thread start",
                                    "thread end",
                                    "thread create",
                                    "thread join",
                                    "thread detach",
                                    "mutex lock",
                                    "failed trylock",
                                    "mutex unlock",
                                    "cond wait",
                                    "cond wake",
                                    "cond signal",
                                    "cond broadcast",
                                    "rwlock read lock",
                                    "rwlock write lock",
                                    "rwlock unlock",
                                    "barrier wait",
                                    "semaphore wait",
                                    "semaphore post",
                                    "futex wait",
                                    "futex wake",
                                    "once",
                                    "yield",
                                    "sleep",
                                    "allocate",
                                    "free",
                                    "blocking call",
                                    "note",
                                    "outcome",
                                    "value choice",
                                    "exit",
                                    "finding",
                                    "cancel",
                                    "signal"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(EventKind::kCount));
  return kind < EventKind::kCount ? kNames[static_cast<std::size_t>(kind)] : "unknown";
}

}  // namespace heddle::report
