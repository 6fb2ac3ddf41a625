#include "tool/report/interference.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/trace/event_kinds.h"
#include "tool/trace/held_locks.h"
#include "tool/trace/stack_view.h"

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
  return a;
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
      at->second = frame != nullptr && is_own_code(*frame) && frame->line != 0;
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

class Search {
 public:
  Search(const Trace& trace, const TraceFinding& finding)
      : trace_(trace), own_(trace), accesses_(shared_accesses(trace)) {
    for (const TraceDeparture& d : trace.departures) {
      if (d.critical && d.event != kNoEvent) switches_.push_back(time_of(d.event));
    }
    note_judged(failing_thread(finding));
  }

  std::optional<Interference> find() {
    std::map<Address, std::vector<const SharedAccess*>> by_address;
    for (const SharedAccess& access : accesses_) {
      if (own_.contains(access.pc, access.stack)) by_address[access.address / 8].push_back(&access);
    }
    for (const auto& [word, list] : by_address) look_at(list);
    if (best_) best_->released = released_between(trace_, best_->first, best_->second);
    return best_;
  }

 private:
  // Memory that the failing thread read last: it judged by that.
  void note_judged(ThreadId thread) {
    for (auto a = accesses_.rbegin(); a != accesses_.rend() && judged_.size() < kRecentReads; ++a) {
      if (a->thread == thread && a->reads && own_.contains(a->pc, a->stack)) judged_.insert(a->address / 8);
    }
  }

  void look_at(const std::vector<const SharedAccess*>& list) {
    std::map<ThreadId, std::size_t> last;  // index of each thread's last access
    for (std::size_t i = 0; i < list.size(); ++i) {
      const auto [at, is_first] = last.try_emplace(list[i]->thread, i);
      if (!is_first) {
        for (std::size_t k = at->second + 1; k < i; ++k) consider(*list[at->second], *list[k], *list[i]);
        at->second = i;
      }
    }
  }

  void consider(const SharedAccess& first, const SharedAccess& between, const SharedAccess& second) {
    if (between.thread == first.thread) return;
    int weight = weight_of(first, between, second);
    if (weight == 0) return;
    const bool critical = std::ranges::any_of(switches_, [&](std::uint64_t time) {
      return time > time_of(first.event) && time <= time_of(second.event) + 1;
    });
    if (critical) weight += 10;
    if (judged_.contains(first.address / 8)) weight += 5;
    if (weight < best_weight_) return;
    if (weight == best_weight_ && best_ && time_of(second.event) < time_of(best_->second.event)) return;
    best_weight_ = weight;
    best_ = Interference{first, between, second, 0};
  }

  const Trace& trace_;
  OwnCode own_;
  std::vector<SharedAccess> accesses_;
  std::vector<std::uint64_t> switches_;  // critical ones
  std::set<Address> judged_;             // words
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
  const ThreadId thread = failing_thread(finding);
  OwnCode own(trace);
  const std::vector<SharedAccess> all = shared_accesses(trace);
  for (auto a = all.rbegin(); a != all.rend(); ++a) {
    if (a->thread == thread && a->reads && own.contains(a->pc, a->stack)) return *a;
  }
  return std::nullopt;
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
