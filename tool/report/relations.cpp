#include "tool/report/relations.h"

#include <algorithm>
#include <unordered_map>

#include "tool/report/store_history.h"

namespace heddle::report {
namespace {

constexpr std::size_t kMostHeads = 8;  // of release sequences, shown for one read

// What a thread knows of the others: the number of their events that happened before. And the last seq_cst
// fence among those events, 1 + its position.
struct Clock {
  std::vector<std::uint32_t> of;
  Position fence = 0;

  void join(const Clock& other) {
    if (of.size() < other.of.size()) of.resize(other.of.size());
    for (std::size_t i = 0; i < other.of.size(); ++i) of[i] = std::max(of[i], other.of[i]);
    fence = std::max(fence, other.fence);
  }
  bool has(const AccessPoint& point) const {
    return point.thread < of.size() && of[point.thread] >= point.ordinal;
  }
};

// Something released, for whoever acquires it: what was known, and the events that released it.
struct Release {
  Clock clock;
  std::vector<Position> heads;

  void add(const Release& other) {
    clock.join(other.clock);
    for (const Position head : other.heads) {
      if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
    }
    if (heads.size() > kMostHeads) heads.erase(heads.begin(), heads.end() - kMostHeads);
  }
  bool empty() const { return heads.empty(); }
};

struct Thread {
  Clock clock;
  Release released_by_fence;  // what later relaxed stores carry
  Release read_relaxed;       // what an acquire fence takes
};

// A lock, condition variable, semaphore …
struct Object {
  Release last;                                             // of the owner
  Release shared;                                           // of readers, posts and arrivals since
  std::vector<std::pair<std::uint32_t, Position>> arrived;  // at a barrier: thread and event
};

bool is_atomic_access(const TraceEvent& e) {
  return e.location != 0 && (e.flags & event_flags::kLatestOnly) == 0;
}

class Walk {
 public:
  explicit Walk(const Trace& trace) : trace_(trace) {}

  Relations run() {
    for (Position at = 0; at < trace_.events.size(); ++at) step(at);
    return std::move(relations_);
  }

 private:
  void step(Position at) {
    const TraceEvent& e = trace_.events[at];
    Thread& t = thread(e.thread);
    ++t.clock.of[index_of(e.thread)];
    if (e.kind == EventKind::kFence) return fence(t, e, at);
    if (is_atomic_access(e)) return access(t, e, at);
    threads(t, e, at);
    objects(t, e, at);
  }

  Thread& thread(ThreadId id) {
    Thread& t = threads_[index_of(id)];
    if (t.clock.of.size() <= index_of(id)) t.clock.of.resize(index_of(id) + 1);
    return t;
  }

  static Release released(const Thread& t, Position at) { return {t.clock, {at}}; }

  void acquire(Thread& t, const Release& release, Position at) {
    for (const Position head : release.heads) {
      if (trace_.events[head].thread != trace_.events[at].thread)
        relations_.synchronises_with.emplace_back(head, at);
    }
    t.clock.join(release.clock);
  }

  void fence(Thread& t, const TraceEvent& e, Position at) {
    if (is_acquire(e.order)) acquire(t, t.read_relaxed, at);
    if (is_release(e.order)) t.released_by_fence = released(t, at);
    if (!is_seq_cst(e.order)) return;
    t.clock.fence = at + 1;
    Clock all = fences_.empty() ? Clock{} : fences_.back().second;
    all.join(t.clock);
    fences_.emplace_back(at, std::move(all));
  }

  // What seq_cst fences before `point` have made known ([atomics.order]p4).
  const Clock* known_by_fences(Position point) const {
    const auto after = std::lower_bound(fences_.begin(), fences_.end(), point,
                                        [](const auto& fence, Position p) { return fence.first < p; });
    return after == fences_.begin() ? nullptr : &(after - 1)->second;
  }

  void access(Thread& t, const TraceEvent& e, Position at) {
    const bool writes = e.kind == EventKind::kAtomicStore || e.kind == EventKind::kVolatileWrite;
    const bool updates = e.kind == EventKind::kAtomicUpdate;
    const bool seq_cst = is_seq_cst(e.order);
    const AccessPoint point{index_of(e.thread), t.clock.of[index_of(e.thread)], at, seq_cst};
    // The place in the order of seq_cst operations: this one's own, or that of a fence before it.
    const Position sc_point = seq_cst ? at : t.clock.fence == 0 ? 0 : t.clock.fence - 1;
    const Clock* fences = known_by_fences(sc_point);
    const StoreHistory::Before before = [&](const AccessPoint& other) {
      return t.clock.has(other) || (fences != nullptr && fences->has(other)) ||
             (other.seq_cst && other.position < sc_point);
    };
    if (StoreHistory* history = history_of(e)) {
      if (writes) {
        history->write(point, before);
      } else {
        read(*history, e, point, before, updates);
      }
    }
    Release from;
    if (!writes) from = read_value(t, e, at);
    if (writes || updates) {
      Release carried = is_release(e.order) ? released(t, at) : t.released_by_fence;
      carried.add(from);  // an update continues the release sequence
      if (!carried.empty()) stores_[at] = std::move(carried);
    }
  }

  // Answers what the store that was read carries.
  Release read_value(Thread& t, const TraceEvent& e, Position at) {
    const auto carried = stores_.find(position_of(e.reads_from));
    if (carried == stores_.end()) return {};
    if (is_acquire(e.order)) {
      acquire(t, carried->second, at);
    } else {
      t.read_relaxed.add(carried->second);
    }
    return carried->second;
  }

  Position position_of(EventId id) const {
    const TraceEvent* event = id == kNoEvent ? nullptr : trace_.find_event(id);
    return event == nullptr ? kInitialStore : static_cast<Position>(event - trace_.events.data());
  }

  // nullptr: too many stores to tell.
  StoreHistory* history_of(const TraceEvent& e) {
    StoreHistory& history = histories_[e.location];
    return history.full() ? nullptr : &history;
  }

  void read(StoreHistory& history, const TraceEvent& e, const AccessPoint& point,
            const StoreHistory::Before& before, bool updates) {
    const std::size_t store = history.find(position_of(e.reads_from));
    if (store == StoreHistory::kMostStores) return;
    if (e.candidates > 1) relations_.readable[point.position] = history.readable(before, updates);
    if (updates) {
      history.update(store, point, before);
    } else {
      history.read(store, point, before);
    }
  }

  void threads(Thread& t, const TraceEvent& e, Position at) {
    switch (e.kind) {
      case EventKind::kThreadCreate:
        created_[e.other] = released(t, at);
        break;
      case EventKind::kThreadStart:
        if (const auto from = created_.find(e.thread); from != created_.end()) acquire(t, from->second, at);
        break;
      case EventKind::kThreadEnd:
        ended_[e.thread] = released(t, at);
        break;
      case EventKind::kThreadJoin:
        if (const auto from = ended_.find(e.other); from != ended_.end()) acquire(t, from->second, at);
        break;
      default:
        break;
    }
  }

  void objects(Thread& t, const TraceEvent& e, Position at) {
    Object& object = objects_[e.address];
    switch (e.kind) {
      case EventKind::kMutexLock:
      case EventKind::kRwlockReadLock:
        acquire(t, object.last, at);
        break;
      case EventKind::kMutexUnlock:
        object.last = released(t, at);
        break;
      case EventKind::kCondWait:
        objects_[e.value].last = released(t, at);  // lets the mutex go
        break;
      case EventKind::kOnce:
        // The first to come back has initialised; the others have waited for it.
        acquire(t, object.last, at);
        if (object.last.empty()) object.last = released(t, at);
        break;
      case EventKind::kSemaphoreWait:
        acquire(t, object.shared, at);
        break;
      case EventKind::kSemaphorePost:
        object.shared.add(released(t, at));
        break;
      case EventKind::kRwlockWriteLock:
        acquire(t, object.last, at);
        acquire(t, object.shared, at);
        object.shared = {};
        writer_[e.address] = e.thread;
        break;
      case EventKind::kRwlockUnlock:
        if (const auto writer = writer_.find(e.address);
            writer != writer_.end() && writer->second == e.thread) {
          object.last = released(t, at);
          writer_.erase(writer);
        } else {
          object.shared.add(released(t, at));
        }
        break;
      case EventKind::kBarrierWait:
        barrier(t, object, e, at);
        break;
      case EventKind::kFree:
        objects_.erase(e.address);
        break;
      default:
        break;
    }
  }

  // Its value counts the arrivals. Who has arrived does nothing until all have, so it may know at once what
  // the later ones bring.
  void barrier(Thread& t, Object& object, const TraceEvent& e, Position at) {
    if (e.value == 1) {
      object.shared = {};
      object.arrived.clear();
    }
    object.shared.add(released(t, at));
    for (const auto& [other, arrived] : object.arrived) {
      relations_.synchronises_with.emplace_back(arrived, at);
      threads_[other].clock.join(object.shared.clock);
    }
    t.clock.join(object.shared.clock);
    object.arrived.emplace_back(index_of(e.thread), at);
  }

  const Trace& trace_;
  Relations relations_;
  std::unordered_map<std::uint32_t, Thread> threads_;
  std::unordered_map<Position, Release> stores_;               // those that carry something
  std::unordered_map<std::uint32_t, StoreHistory> histories_;  // by Event::location
  std::vector<std::pair<Position, Clock>> fences_;  // seq_cst ones: what they and those before knew
  std::map<ThreadId, Release> created_, ended_;
  std::unordered_map<Address, Object> objects_;
  std::unordered_map<Address, ThreadId> writer_;
};

}  // namespace

Relations relations_of(const Trace& trace) { return Walk(trace).run(); }

}  // namespace heddle::report
