#include "tests/oracle/trace_adapter.h"

#include <map>

namespace oracle {
namespace {

using HeddleKind = heddle::EventKind;

class Adapter {
 public:
  explicit Adapter(std::span<const heddle::Event> trace) : trace_(trace), index_(trace.size(), -1) {}

  Execution adapt() {
    // Initial stores first, as the checker wants them before everything.
    for (const heddle::Event& e : trace_) {
      if (is_access(e.kind) && locations_.emplace(e.address, static_cast<int>(locations_.size())).second) {
        execution_.events.push_back(
            {EventKind::kInitial, Order::kRelaxed, -1, static_cast<int>(locations_.size()) - 1, -1, 0});
      }
    }
    for (std::size_t i = 0; i < trace_.size(); ++i) add(i);
    return std::move(execution_);
  }

 private:
  static bool is_access(HeddleKind kind) {
    return kind == HeddleKind::kAtomicLoad || kind == HeddleKind::kAtomicStore ||
           kind == HeddleKind::kAtomicUpdate || kind == HeddleKind::kCasFailed ||
           kind == HeddleKind::kVolatileRead || kind == HeddleKind::kVolatileWrite;
  }

  static EventKind kind_of(HeddleKind kind) {
    switch (kind) {
      case HeddleKind::kAtomicLoad:
      case HeddleKind::kCasFailed:
      case HeddleKind::kVolatileRead:
        return EventKind::kLoad;
      case HeddleKind::kAtomicStore:
      case HeddleKind::kVolatileWrite:
        return EventKind::kStore;
      case HeddleKind::kAtomicUpdate:
        return EventKind::kUpdate;
      case HeddleKind::kFence:
        return EventKind::kFence;
      default:
        return EventKind::kOther;
    }
  }

  void add(std::size_t i) {
    const heddle::Event& e = trace_[i];
    Event event;
    event.kind = kind_of(e.kind);
    event.order = static_cast<Order>(e.order);
    event.thread = static_cast<int>(heddle::index_of(e.thread));
    if (is_access(e.kind)) event.location = locations_.at(e.address);
    if (event.writes()) event.mo_position = static_cast<int>(e.mo_position);
    if (event.reads()) {
      event.reads_from =
          e.reads_from == heddle::kNoEvent ? event.location : index_[heddle::index_of(e.reads_from)];
    }
    index_[i] = static_cast<int>(execution_.events.size());
    execution_.events.push_back(event);
    synchronise(e, index_[i]);
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
    int last_release = -1;                    // by an owner, a post, or once
    std::vector<int> readers;                 // read unlocks since
    std::map<heddle::ThreadId, bool> writes;  // who holds it for writing
  };

  void synchronise(const heddle::Event& e, int at) {
    synchronise_threads(e, at);
    Object& object = objects_[e.address];
    switch (e.kind) {
      case HeddleKind::kMutexLock:
      case HeddleKind::kCondWake:
      case HeddleKind::kOnce:
        edge(object.last_release, at);
        if (e.kind == HeddleKind::kOnce) object.last_release = at;
        break;
      case HeddleKind::kMutexUnlock:
      case HeddleKind::kCondWait:
        object.last_release = at;
        break;
      case HeddleKind::kSemaphoreWait:
      case HeddleKind::kSemaphorePost:
        edge(object.last_release, at);
        if (e.kind == HeddleKind::kSemaphorePost) object.last_release = at;
        break;
      case HeddleKind::kRwlockReadLock:
        edge(object.last_release, at);
        object.writes[e.thread] = false;
        break;
      case HeddleKind::kRwlockWriteLock:
        edge(object.last_release, at);
        for (int reader : object.readers) edge(reader, at);
        object.readers.clear();
        object.writes[e.thread] = true;
        break;
      case HeddleKind::kRwlockUnlock:
        if (object.writes[e.thread]) {
          object.last_release = at;
        } else {
          object.readers.push_back(at);
        }
        break;
      default:
        break;
    }
  }

  std::span<const heddle::Event> trace_;
  std::vector<int> index_;  // by event of the trace
  std::map<heddle::Address, int> locations_;
  std::map<heddle::ThreadId, int> created_, ended_;
  std::map<heddle::Address, Object> objects_;
  Execution execution_;
};

}  // namespace

Execution execution_of(std::span<const heddle::Event> trace) { return Adapter(trace).adapt(); }

}  // namespace oracle
