// OpenMP as clang compiles it: LLVM's libomp tells tools what happens (OMPT; OpenMP 5.0, chapter 4), and so
// do other runtimes that have that interface. Critical regions and locks are mutexes of the engine (a call of
// libomp's could spin); the rest is left to the library, and its edges are made here.
#include "core/base/pages.h"
#include "core/trace/event.h"
#include "runtime/abi/openmp/openmp.h"

namespace heddle::abi {
namespace {

// --- the interface [4.4.3, 4.5.2]
// ----------------------------------------------------------------------------
union OmptData {
  std::uint64_t value;
  void* pointer;
};
using Lookup = void (*(*)(const char*))();
struct StartToolResult {
  int (*initialize)(Lookup, int device, OmptData*);
  void (*finalize)(OmptData*);
  OmptData tool_data;
};
struct OmptDependence {
  OmptData variable;
  int type;
};

enum Callback : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kMutexReleased = 17,
  kDependences = 18,
  kWork = 20,
  kSyncRegion = 23,
  kMutexAcquired = 27,
  kReduction = 31,
  kDispatch = 32,
};
enum Endpoint : int { kBegin = 1, kEnd = 2 };
enum SyncRegion : int { kTaskwait = 5, kTaskgroup = 6, kReductionRegion = 7, kEndOfParallel = 9 };
enum TaskStatus : int { kComplete = 1, kCancelled = 3, kLateFulfil = 6, kTaskwaitComplete = 8 };
constexpr int kInitialTask = 1;
constexpr int kReads = 1;  // depend(in: …)

// --- what is known of regions and tasks
// ----------------------------------------------------------------------
using Clock = char[8];  // known by its address

struct Region {
  Clock fork;
  Clock join;
  Clock arrivals[2];  // of every other barrier, as in openmp_gnu.cpp
  Clock reduction;
  Clock tasks;
  Region* next_free;
};

constexpr std::uint32_t kMostDependences = 16;
struct Task {
  Clock created;
  Clock children;
  Region* region;
  Task* parent;  // may have ended
  std::uint32_t barriers;
  std::uint32_t dependences;
  OmptDependence dependence[kMostDependences];
  bool is_explicit;
  Task* next_free;
};

// Blocks that are never given back: their addresses are clocks.
template <typename Block>
class Pool {
 public:
  Block* take() {
    if (free_ == nullptr) {
      constexpr std::uint32_t kCount = 256;
      auto* blocks = static_cast<Block*>(map_pages(kCount * sizeof(Block)));
      for (std::uint32_t i = 0; i < kCount; ++i) give(&blocks[i]);
    }
    Block* block = free_;
    free_ = block->next_free;
    *block = Block{};
    return block;
  }
  void give(Block* block) {
    block->next_free = free_;
    free_ = block;
  }

 private:
  Block* free_ = nullptr;
};
struct Pools {
  Pool<Region> regions;
  Pool<Task> tasks;
};
Pools pools;

void release(Execution& e, const void* clock) { e.release(openmp_clock(e, clock)); }
void acquire(Execution& e, const void* clock) { e.acquire(openmp_clock(e, clock)); }
void forget(Execution& e, const void* clock) { e.forget(openmp_clock(e, clock)); }

Task* task_of(const OmptData* data) { return data != nullptr ? static_cast<Task*>(data->pointer) : nullptr; }

Task* new_task(Region* region, Task* parent) {
  Task* task = pools.tasks.take();
  task->region = region;
  task->parent = parent;
  return task;
}

void end_task(Execution& e, OmptData* data) {
  Task* task = task_of(data);
  data->pointer = nullptr;
  forget(e, task->created);
  forget(e, task->children);
  pools.tasks.give(task);
}

const void* readers_of(const OmptDependence& d) {
  return reinterpret_cast<const void*>(d.variable.value | 1ull << 62);
}
const void* writers_of(const OmptDependence& d) {
  return reinterpret_cast<const void*>(d.variable.value | 1ull << 61);
}

// --- callbacks
// -----------------------------------------------------------------------------------------------
void on_parallel_begin(OmptData*, const void*, OmptData* parallel, unsigned, int, const void*) {
  Execution* e = engine();
  if (e == nullptr) return;
  Region* region = pools.regions.take();
  parallel->pointer = region;
  release(*e, region->fork);
}

void on_parallel_end(OmptData* parallel, OmptData*, int, const void*) {
  Execution* e = engine();
  auto* region = static_cast<Region*>(parallel->pointer);
  if (e == nullptr || region == nullptr) return;
  acquire(*e, region->join);
  acquire(*e, region->tasks);
  for (const Clock* clock : {&region->fork, &region->join, &region->arrivals[0], &region->arrivals[1],
                             &region->reduction, &region->tasks})
    forget(*e, clock);
  pools.regions.give(region);
}

void on_implicit_task(int endpoint, OmptData* parallel, OmptData* task, unsigned, unsigned index, int flags) {
  Execution* e = engine();
  if (e == nullptr) return;
  if (endpoint == kEnd) {
    if (task_of(task) != nullptr) end_task(*e, task);
    return;
  }
  const bool initial = (flags & kInitialTask) != 0 || parallel == nullptr;
  auto* region = initial ? nullptr : static_cast<Region*>(parallel->pointer);
  task->pointer = new_task(region, nullptr);
  if (region == nullptr) return;
  if (index != 0) e->self().pooled = true;
  acquire(*e, region->fork);
}

// The region may be gone when a thread of the pool leaves the last barrier: nothing is looked at there.
void at_barrier(Execution& e, int kind, int endpoint, Task& task, std::uint64_t pc) {
  Region& region = *task.region;
  const Clock& arrivals = region.arrivals[task.barriers % 2];
  if (endpoint == kBegin) {
    e.visible({EventKind::kBarrierWait, MemoryOrder::kAcqRel, 0, reinterpret_cast<Address>(arrivals), pc});
    release(e, arrivals);
    if (kind == kEndOfParallel) release(e, region.join);
    e.changed();
    e.done(EventKind::kBarrierWait, 0);
    if (Event* event = e.record(EventKind::kBarrierWait, pc))
      event->address = reinterpret_cast<Address>(arrivals);
  } else if (kind != kEndOfParallel) {
    ++task.barriers;
    acquire(e, arrivals);
    acquire(e, region.tasks);
  }
}

void on_sync_region(int kind, int endpoint, OmptData*, OmptData* data, const void* code) {
  Execution* e = engine();
  Task* task = task_of(data);
  if (e == nullptr || task == nullptr) return;
  if (kind == kTaskwait) {
    if (endpoint == kEnd) acquire(*e, task->children);
  } else if (task->region == nullptr) {
    return;
  } else if (kind == kTaskgroup) {
    if (endpoint == kEnd) acquire(*e, task->region->tasks);
  } else if (kind != kReductionRegion) {
    at_barrier(*e, kind, endpoint, *task, reinterpret_cast<std::uint64_t>(code));
  }
}

// Somebody adds up what the others, who have come to the barrier or hold the region's lock, have found.
void on_reduction(int, int endpoint, OmptData*, OmptData* data, const void*) {
  Execution* e = engine();
  Task* task = task_of(data);
  if (e == nullptr || task == nullptr || task->region == nullptr) return;
  for (const Clock* clock : {&task->region->arrivals[task->barriers % 2], &task->region->reduction})
    endpoint == kBegin ? acquire(*e, clock) : release(*e, clock);
}

void on_task_create(OmptData* creator, const void*, OmptData* data, int flags, int, const void*) {
  Execution* e = engine();
  if (e == nullptr || (flags & kInitialTask) != 0) return;
  Task* parent = task_of(creator);
  Task* task = new_task(parent != nullptr ? parent->region : nullptr, parent);
  task->is_explicit = true;
  data->pointer = task;
  release(*e, task->created);
}

void on_dependences(OmptData* data, const OmptDependence* dependences, int count) {
  Task* task = task_of(data);
  if (task == nullptr) return;
  for (int i = 0; i < count && task->dependences < kMostDependences; ++i)
    task->dependence[task->dependences++] = dependences[i];
}

void finish_task(Execution& e, Task& task) {
  for (std::uint32_t i = 0; i < task.dependences; ++i) {
    const OmptDependence& d = task.dependence[i];
    release(e, d.type == kReads ? readers_of(d) : writers_of(d));
  }
  if (task.parent != nullptr) release(e, task.parent->children);
  if (task.region != nullptr) release(e, task.region->tasks);
}

void resume_task(Execution& e, const Task& task) {
  acquire(e, task.created);
  for (std::uint32_t i = 0; i < task.dependences; ++i) {
    const OmptDependence& d = task.dependence[i];
    acquire(e, writers_of(d));
    if (d.type != kReads) acquire(e, readers_of(d));
  }
}

void on_task_schedule(OmptData* prior, int status, OmptData* next) {
  Execution* e = engine();
  if (e == nullptr) return;
  Task* before = task_of(prior);
  if (before != nullptr && before->is_explicit) {
    const bool ends = status == kComplete || status == kCancelled || status == kLateFulfil;
    if (ends) finish_task(*e, *before);
    if (status == kTaskwaitComplete) resume_task(*e, *before);
    if (ends || status == kTaskwaitComplete) end_task(*e, prior);
  }
  Task* after = task_of(next);
  if (after != nullptr && after->is_explicit) resume_task(*e, *after);
}

// Work that threads take from a common store: who comes first is a choice.
void compete(const void* code) {
  Execution* e = engine();
  if (e == nullptr) return;
  e->visible({EventKind::kYield, MemoryOrder::kRelaxed, 0, 0, reinterpret_cast<std::uint64_t>(code)});
  e->changed();
}
void on_work(int, int, OmptData*, OmptData*, std::uint64_t, const void* code) { compete(code); }
void on_dispatch(OmptData*, OmptData*, int, OmptData) { compete(nullptr); }

// ordered and atomic; locks and critical regions do not come here.
const void* mutex_clock(std::uint64_t wait_id) { return reinterpret_cast<const void*>(wait_id | 1ull << 62); }
void on_mutex_acquired(int, std::uint64_t wait_id, const void*) {
  if (Execution* e = engine()) acquire(*e, mutex_clock(wait_id));
}
void on_mutex_released(int, std::uint64_t wait_id, const void*) {
  if (Execution* e = engine()) release(*e, mutex_clock(wait_id));
}

int initialize(Lookup lookup, int, OmptData*) {
  using SetCallback = int(int, void (*)());
  auto* set_callback = reinterpret_cast<SetCallback*>(lookup("ompt_set_callback"));
  if (set_callback == nullptr) return 0;
  const auto set = [&](int which, auto* function) {
    set_callback(which, reinterpret_cast<void (*)()>(function));
  };
  set(kParallelBegin, on_parallel_begin);
  set(kParallelEnd, on_parallel_end);
  set(kImplicitTask, on_implicit_task);
  set(kSyncRegion, on_sync_region);
  set(kReduction, on_reduction);
  set(kTaskCreate, on_task_create);
  set(kTaskSchedule, on_task_schedule);
  set(kDependences, on_dependences);
  set(kWork, on_work);
  set(kDispatch, on_dispatch);
  set(kMutexAcquired, on_mutex_acquired);
  set(kMutexReleased, on_mutex_released);
  return 1;
}

void finalize(OmptData*) {}

}  // namespace
}  // namespace heddle::abi

HEDDLE_EXPORT void* ompt_start_tool(unsigned, const char*) {
  static heddle::abi::StartToolResult result{heddle::abi::initialize, heddle::abi::finalize, {}};
  return heddle::abi::in_session() ? &result : nullptr;
}
