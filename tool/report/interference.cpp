#include "tool/report/interference.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/report/names.h"
#include "tool/trace/held_locks.h"
#include "tool/trace/stack_view.h"
#include "tool/trace/test_failure.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostAccesses = 50'000;  // looked at, from the end
constexpr std::size_t kRecentReads = 4;        // of the failing thread, that can be what it judged by

SharedAccess access_of(const TraceEvent& e) {
  SharedAccess a;
  a.event = e.id;
  a.thread = e.thread;
  a.pc = e.pc;
  a.stack = e.stack;
  a.address = e.address;
  a.size = e.size;
  a.value = e.value;
  a.reads = reads_memory(e.kind);
  a.writes = stores_atomically(e.kind);
  a.is_atomic = true;
  return a;
}

SharedAccess access_of(const TraceAccess& p) {
  SharedAccess a;
  a.event = p.after;
  a.thread = p.thread;
  a.pc = p.pc;
  a.stack = p.stack;
  a.address = p.address;
  a.size = p.size;
  a.value = p.value;
  a.reads = !p.writes;
  a.writes = p.writes;
  a.plain = &p;
  return a;
}

// Counts of std::shared_ptr and of old strings are the library's own, and right.
bool is_reference_count(const Frame& frame) {
  return frame.file.ends_with("/ext/atomicity.h") ||
         frame.function.find("_Sp_counted_base") != std::string::npos;
}

// Is it the user's code that accesses, and not the C++ library on its own behalf? A container's members are the
// user's: the frame that calls the container decides.
class OwnCode {
 public:
  explicit OwnCode(const Trace& trace) : trace_(trace) {}
  bool contains(std::uint64_t pc, StackId stack) {
    const auto [at, is_new] = known_.try_emplace({pc, stack}, false);
    if (is_new) {
      const std::vector<Frame> frames = visible_frames(trace_, pc, stack);
      const Frame* frame = deciding_frame(frames);
      at->second = frame != nullptr && is_own_code(*frame) && frame->line != 0 &&
                   std::none_of(frames.data(), frame, is_reference_count);
    }
    return at->second;
  }

 private:
  const Trace& trace_;
  std::map<std::pair<std::uint64_t, StackId>, bool> known_;
};

ThreadId failing_thread(const TraceFinding& finding) {
  for (const TracePart& part : finding.parts) {
    if (part.role == PartRole::kHere) return part.thread;
  }
  return finding.kind == FindingKind::kNonZeroExit || finding.kind == FindingKind::kTestFailure ? kMainThread
                                                                                                : kNoThread;
}

// What AVIO's table says of three accesses, the one in the middle by another thread: 0 where some order of whole
// steps explains them. Reading first and acting on it is the commonest mistake.
int weight_of(const SharedAccess& first, const SharedAccess& between, const SharedAccess& second) {
  if (first.reads && between.writes && second.writes) return 4;
  if (first.reads && between.writes && second.reads) return 3;
  if (first.writes && between.reads && second.writes) return 2;
  if (first.writes && between.writes && second.reads) return 1;
  return 0;
}

// A lock that the thread held at both accesses and gave back in between.
Address released_between(const Trace& trace, const SharedAccess& first, const SharedAccess& second) {
  const std::vector<HeldLock> before = held_locks(trace, first.thread, first.event);
  for (const HeldLock& lock : held_locks(trace, second.thread, second.event)) {
    const auto same =
        std::ranges::find_if(before, [&](const HeldLock& other) { return other.address == lock.address; });
    if (same != before.end() && same->taken != lock.taken) return lock.address;
  }
  return 0;
}

// The accesses up to the failure, in the user's code, and what the failing thread judged by.
class Failing {
 public:
  Failing(const Trace& trace, const TraceFinding& finding) : trace_(trace), own_(trace) {
    for (SharedAccess& access : shared_accesses(trace)) {
      if (own_.contains(access.pc, access.stack)) accesses_.push_back(access);
    }
    const auto check = finding.kind == FindingKind::kTestFailure ? first_test_failure(trace.output)
                                                                 : std::optional<TestFailure>();
    if (check && check->line != 0) {
      judged_by_check(*check);
    } else {
      judged_by_thread(failing_thread(finding));
    }
  }

  const std::vector<SharedAccess>& accesses() const { return accesses_; }
  // The last reads before the failure, the latest first.
  const std::vector<SharedAccess>& judged() const { return judged_; }

 private:
  // A check of a test framework reads what it compares, and what comes after it is of no interest.
  void judged_by_check(const TestFailure& check) {
    const std::string file = source_file_of(check, trace_.symbols);
    const auto is_there = [&](const SharedAccess& a) {
      const std::vector<Frame> frames = visible_frames(trace_, a.pc, a.stack);
      return std::ranges::any_of(
          frames, [&](const Frame& f) { return f.line == check.line && !file.empty() && f.file == file; });
    };
    std::size_t end = 0;
    for (std::size_t i = 0; i < accesses_.size(); ++i) {
      if (is_there(accesses_[i])) end = i + 1;
    }
    if (end == 0) return;
    accesses_.resize(end);
    for (auto a = accesses_.rbegin(); a != accesses_.rend() && judged_.size() < kRecentReads; ++a) {
      if (a->reads && is_there(*a)) judged_.push_back(*a);
    }
  }

  void judged_by_thread(ThreadId thread) {
    for (auto a = accesses_.rbegin(); a != accesses_.rend() && judged_.size() < kRecentReads; ++a) {
      if (a->thread == thread && a->reads) judged_.push_back(*a);
    }
  }

  const Trace& trace_;
  OwnCode own_;
  std::vector<SharedAccess> accesses_;
  std::vector<SharedAccess> judged_;
};

class Search {
 public:
  Search(const Trace& trace, const TraceFinding& finding)
      : trace_(trace), failing_(trace, finding), names_(trace) {
    for (const TraceDeparture& d : trace.departures) {
      if (d.critical && d.event != kNoEvent) switches_.push_back({time_of(d.event), d.thread});
    }
    for (const TraceEvent& e : trace.events) {
      if (e.kind == EventKind::kThreadCreate) created_.try_emplace(e.other, time_of(e.id));
    }
  }

  // By words first. A library without instrumentation may write another word of the same object: then by
  // variables and heap blocks.
  std::optional<Interference> find() {
    look_at_all([](const SharedAccess& a) { return std::to_string(a.address); }, 2);
    look_at_all([&](const SharedAccess& a) { return object_of(a); }, 0);
    if (best_) best_->released = released_between(trace_, best_->first, best_->second);
    return best_;
  }

 private:
  struct Switch {
    std::uint64_t time;
    ThreadId from;
  };

  // "c.map_" of "c.map_+16".
  std::string object_of(const SharedAccess& a) {
    const std::string name = names_.location(a.address, a.event);
    return name.substr(0, name.rfind('+'));
  }

  void look_at_all(const auto& key_of, int weight) {
    std::map<std::string, std::vector<SharedAccess>> groups;
    for (const SharedAccess& access : failing_.accesses()) {
      std::vector<SharedAccess>& list = groups[key_of(access)];
      if (!list.empty() && is_update(list.back(), access)) {
        list.back().writes = true;
      } else {
        list.push_back(access);
      }
    }
    std::set<std::string> judged;
    for (const SharedAccess& access : failing_.judged()) judged.insert(key_of(access));
    for (const auto& [key, list] : groups) look_at(list, weight + (judged.contains(key) ? 5 : 0));
  }

  // A read and then a write in one line of source, with nobody else between: `balance -= amount`.
  bool is_update(const SharedAccess& read, const SharedAccess& write) const {
    if (read.thread != write.thread || read.address != write.address || !read.reads || read.writes ||
        write.reads || read.stack != write.stack)
      return false;
    const auto line = [&](const SharedAccess& a) {
      const auto frames = trace_.symbols.frames.find(a.pc);
      return frames == trace_.symbols.frames.end() || frames->second.empty() ? 0 : frames->second[0].line;
    };
    return line(read) != 0 && line(read) == line(write);
  }

  void look_at(const std::vector<SharedAccess>& list, int weight) {
    std::map<ThreadId, std::size_t> last;  // index of each thread's last access
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [at, is_first] = last.try_emplace(list[i].thread, i);
      if (is_first) continue;
      for (std::size_t k = at->second + 1; k < i; ++k) consider(list[at->second], list[k], list[i], weight);
      at->second = i;
    }
  }

  void consider(const SharedAccess& first, const SharedAccess& between, const SharedAccess& second,
                int weight) {
    if (between.thread == first.thread) return;
    // What a thread did before it created the other one is no step that the other one could break.
    const auto created = created_.find(between.thread);
    if (created != created_.end() && created->second > time_of(first.event)) return;
    const int kind = weight_of(first, between, second);
    if (kind == 0) return;
    weight += kind;
    const bool critical = std::ranges::any_of(switches_, [&](const Switch& at) {
      return at.from == first.thread && at.time > time_of(first.event) &&
             at.time <= time_of(second.event) + 1;
    });
    if (critical) weight += 10;
    if (weight < best_weight_) return;
    if (weight == best_weight_ && best_ && time_of(second.event) < time_of(best_->second.event)) return;
    best_weight_ = weight;
    best_ = Interference{first, between, second, 0};
  }

  const Trace& trace_;
  Failing failing_;
  Names names_;
  std::vector<Switch> switches_;               // critical ones
  std::map<ThreadId, std::uint64_t> created_;  // when
  std::optional<Interference> best_;
  int best_weight_ = 0;
};

}  // namespace

std::vector<SharedAccess> shared_accesses(const Trace& trace) {
  std::vector<SharedAccess> all;
  auto plain = trace.accesses.begin();
  const auto plain_up_to = [&](std::uint64_t time) {
    for (; plain != trace.accesses.end() && time_of(plain->after) < time; ++plain)
      all.push_back(access_of(*plain));
  };
  for (const TraceEvent& event : trace.events) {
    plain_up_to(time_of(event.id));
    if (event.address != 0 && (reads_memory(event.kind) || stores_atomically(event.kind)))
      all.push_back(access_of(event));
  }
  plain_up_to(~std::uint64_t{0});
  if (all.size() > kMostAccesses)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kMostAccesses));
  return all;
}

std::optional<Interference> interference(const Trace& trace, const TraceFinding& finding) {
  return Search(trace, finding).find();
}

std::optional<SharedAccess> last_shared_read(const Trace& trace, const TraceFinding& finding) {
  const Failing failing(trace, finding);
  return failing.judged().empty() ? std::nullopt : std::optional(failing.judged().front());
}

std::optional<Stop> critical_stop(const Trace& trace) {
  OwnCode own(trace);
  for (auto d = trace.departures.rbegin(); d != trace.departures.rend(); ++d) {
    if (!d->critical || d->kind != ChoiceKind::kThread || !d->preempts || d->event == kNoEvent) continue;
    const std::uint64_t until = time_of(d->event);
    Stop stop{d->thread, d->to, 0, kEmptyStack};
    std::uint64_t latest = 0;
    for (const TraceEvent& e : trace.events) {
      if (time_of(e.id) >= until) break;
      if (e.thread != d->thread || !own.contains(e.pc, e.stack)) continue;
      stop.pc = e.pc;
      stop.stack = e.stack;
      latest = time_of(e.id);
    }
    for (const TraceAccess& a : trace.accesses) {
      if (time_of(a.after) >= until || time_of(a.after) < latest) continue;
      if (a.thread != d->thread || !own.contains(a.pc, a.stack)) continue;
      stop.pc = a.pc;
      stop.stack = a.stack;
    }
    if (stop.pc != 0) return stop;
  }
  return std::nullopt;
}

}  // namespace heddle::report
