#include "tests/oracle/trace_adapter.h"

#include <map>
#include <set>
#include <vector>

namespace oracle {
namespace {

using HeddleKind = heddle::EventKind;

bool is_access(const heddle::Event& e) {
  return e.location != 0 && (e.flags & heddle::event_flags::kLatestOnly) == 0;
}

EventKind kind_of(const heddle::Event& e) {
  if (e.kind == HeddleKind::kFence) return EventKind::kFence;
  if (!is_access(e)) return EventKind::kOther;
  switch (e.kind) {
    case HeddleKind::kAtomicLoad:
    case HeddleKind::kCasFailed:
    case HeddleKind::kVolatileRead:
      return EventKind::kLoad;
    case HeddleKind::kAtomicStore:
    case HeddleKind::kVolatileWrite:
      return EventKind::kStore;
    case HeddleKind::kAtomicUpdate:
      return EventKind::kUpdate;
    default:
      return EventKind::kOther;
  }
}

bool writes(const heddle::Event& e) {
  return kind_of(e) == EventKind::kStore || kind_of(e) == EventKind::kUpdate;
}
bool reads(const heddle::Event& e) {
  return kind_of(e) == EventKind::kLoad || kind_of(e) == EventKind::kUpdate;
}

// A location that was freed or written plainly is forgotten with its modification order: its events are not
// judged.
std::vector<heddle::Event> judged_events(std::span<const heddle::Event> trace) {
  std::vector<heddle::Event> events(trace.begin(), trace.end());
  std::set<std::uint32_t> forgotten;
  for (const heddle::Event& e : events) {
    if (writes(e) && e.mo_position == 0) forgotten.insert(e.location);
  }
  for (heddle::Event& e : events) {
    if (forgotten.contains(e.location)) e.location = 0;
  }
  return events;
}

class Adapter {
 public:
  explicit Adapter(std::span<const heddle::Event> trace) : trace_(trace), index_(trace.size(), -1) {}

  Execution adapt() {
    // Initial stores first, as the checker wants them before everything.
    for (const heddle::Event& e : trace_) {
      if (is_access(e) && locations_.emplace(e.location, static_cast<int>(locations_.size())).second) {
        execution_.events.push_back(
            {EventKind::kInitial, Order::kRelaxed, -1, static_cast<int>(locations_.size()) - 1, -1, 0});
      }
    }
    for (std::size_t i = 0; i < trace_.size(); ++i) add(i);
    return std::move(execution_);
  }

 private:
  void add(std::size_t i) {
    const heddle::Event& e = trace_[i];
    Event event;
    event.kind = kind_of(e);
    event.order = static_cast<Order>(e.order);
    event.thread = static_cast<int>(heddle::index_of(e.thread));
    if (is_access(e)) event.location = locations_.at(e.location);
    if (event.writes()) event.mo_position = static_cast<int>(e.mo_position);
    if (event.reads()) {
      event.reads_from =
          e.reads_from == heddle::kNoEvent ? event.location : index_[heddle::index_of(e.reads_from)];
    }
    index_[i] = static_cast<int>(execution_.events.size());
    execution_.events.push_back(event);
    synchronise_threads(e, index_[i]);
    synchronise_objects(e, index_[i]);
  }

  void edge(int from, int to) {
    if (from >= 0) execution_.synchronises.emplace_back(from, to);
  }

  // Thread creation, start, end and join.
  void synchronise_threads(const heddle::Event& e, int at) {
    switch (e.kind) {
      case HeddleKind::kThreadCreate:
        created_[e.other] = at;
        break;
      case HeddleKind::kThreadStart:
        if (created_.count(e.thread) != 0) edge(created_[e.thread], at);
        break;
      case HeddleKind::kThreadEnd:
        ended_[e.thread] = at;
        break;
      case HeddleKind::kThreadJoin:
        if (ended_.count(e.other) != 0) edge(ended_[e.other], at);
        break;
      default:
        break;
    }
  }

  struct Object {
    int last_release = -1;                    // by an owner, or by the one that initialised
    std::vector<int> releases;                // read unlocks since, or posts, which do not order one another
    std::map<heddle::ThreadId, bool> writes;  // who holds it for writing
  };

  void acquire_all(const Object& object, int at) {
    edge(object.last_release, at);
    for (int release : object.releases) edge(release, at);
  }

  void synchronise_objects(const heddle::Event& e, int at) {
    if (e.kind == HeddleKind::kAllocate) sizes_[e.address] = e.value;
    // Whatever comes to lie in freed memory is another object.
    if (e.kind == HeddleKind::kFree) {
      objects_.erase(objects_.lower_bound(e.address), objects_.lower_bound(e.address + sizes_[e.address]));
    }
    Object& object = objects_[e.address];
    switch (e.kind) {
      case HeddleKind::kMutexLock:
      case HeddleKind::kCondWake:
      case HeddleKind::kRwlockReadLock:
        edge(object.last_release, at);
        object.writes[e.thread] = false;
        break;
      case HeddleKind::kMutexUnlock:
      case HeddleKind::kCondWait:
        object.last_release = at;
        break;
      case HeddleKind::kOnce:
        // The first to come back has initialised; the others have waited for it.
        edge(object.last_release, at);
        if (object.last_release < 0) object.last_release = at;
        break;
      case HeddleKind::kSemaphoreWait:
        acquire_all(object, at);
        break;
      case HeddleKind::kSemaphorePost:
        object.releases.push_back(at);
        break;
      case HeddleKind::kRwlockWriteLock:
        acquire_all(object, at);
        object.releases.clear();
        object.writes[e.thread] = true;
        break;
      case HeddleKind::kRwlockUnlock:
        if (object.writes[e.thread]) {
          object.last_release = at;
        } else {
          object.releases.push_back(at);
        }
        break;
      default:
        break;
    }
  }

  std::span<const heddle::Event> trace_;
  std::vector<int> index_;  // by event of the trace
  std::map<std::uint32_t, int> locations_;
  std::map<heddle::ThreadId, int> created_, ended_;
  std::map<heddle::Address, Object> objects_;
  std::map<heddle::Address, std::uint64_t> sizes_;
  Execution execution_;
};

std::string describe(std::span<const heddle::Event> trace, std::size_t i) {
  return "event " + std::to_string(i) + " of thread " + std::to_string(heddle::index_of(trace[i].thread));
}

std::string malformed_read(std::span<const heddle::Event> trace, std::size_t i) {
  const heddle::Event& e = trace[i];
  if (e.reads_from == heddle::kNoEvent) {
    return (e.flags & heddle::event_flags::kInitial) != 0 ? "" : " reads from nothing";
  }
  const std::size_t from = heddle::index_of(e.reads_from);
  if (from >= i) return " reads from a store that comes later";
  const heddle::Event& store = trace[from];
  if (!writes(store) || store.location != e.location) return " reads from what is no store of its location";
  if (store.value2 != e.value) return " reads another value than was stored";
  return {};
}

}  // namespace

Execution execution_of(std::span<const heddle::Event> all) {
  const std::vector<heddle::Event> trace = judged_events(all);
  return Adapter(trace).adapt();
}

std::string malformed(std::span<const heddle::Event> all) {
  const std::vector<heddle::Event> trace = judged_events(all);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (reads(trace[i])) {
      const std::string wrong = malformed_read(trace, i);
      if (!wrong.empty()) return describe(trace, i) + wrong;
    }
    if (!writes(trace[i])) continue;
    if (!places.emplace(std::pair{trace[i].location, trace[i].mo_position}, i).second)
      return describe(trace, i) + " has the place of another store in the modification order";
  }
  return {};
}

}  // namespace oracle
