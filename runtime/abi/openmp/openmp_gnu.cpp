// OpenMP as g++ compiles it: calls of libgomp. Each is passed on, with the edges of the specification (OpenMP
// 5.0, 1.4.4 and the constructs' own sections) around it. Not had: the old calls GOMP_parallel_start and
// GOMP_parallel_end (compilers before GCC 4.9), and doacross loops, in which libgomp spins without end.
#include "core/trace/event.h"
#include "runtime/abi/openmp/openmp.h"

namespace heddle::abi {
namespace {

using Body = void(void*);
using Clock = char[8];  // known by its address

// One parallel region; lies in the frame of the thread that has met it.
struct Region {
  Body* body;
  void* data;
  ThreadId owner;
  Clock fork;
  Clock join;
  Clock arrivals[2];  // of every other barrier: nobody comes to the next but one while another leaves this
  Clock copied;       // single with copyprivate
  Clock ordered;
  Clock tasks;  // explicit tasks that have ended
};

// What a thread is in.
struct Member {
  Region* region = nullptr;
  std::uint32_t barriers = 0;      // that it has passed in this region
  const void* children = nullptr;  // clock of the ended child tasks of its task; nullptr: an implicit task
};
Member members[kMaxThreads];

Member& member(Execution& e) { return members[index_of(e.self().id)]; }

const void* children_of(const Member& m) { return m.children != nullptr ? m.children : &m; }

void release(Execution& e, const void* clock) { e.release(openmp_clock(e, clock)); }
void acquire(Execution& e, const void* clock) { e.acquire(openmp_clock(e, clock)); }
void forget(Execution& e, const void* clock) { e.forget(openmp_clock(e, clock)); }

void forget(Execution& e, const Region& r) {
  for (const Clock* clock :
       {&r.fork, &r.join, &r.arrivals[0], &r.arrivals[1], &r.copied, &r.ordered, &r.tasks})
    forget(e, clock);
}

// --- parallel [2.6]
// -----------------------------------------------------------------------------------------
void run_member(void* argument) {
  Region& region = *static_cast<Region*>(argument);
  Execution* e = engine();
  if (e == nullptr) return region.body(region.data);
  Member& m = member(*e);
  const Member before = m;
  m = {&region};
  if (region.owner != e->self().id) e->self().pooled = true;
  acquire(*e, region.fork);
  region.body(region.data);
  release(*e, region.join);
  m = before;
}

// Puts a region in the place of the body and the data that the library is to be called with.
class RegionScope {
 public:
  RegionScope(Execution& e, Body*& body, void*& data)
      : e_(e), region_{body, data, e.self().id, {}, {}, {}, {}, {}, {}} {
    release(e_, region_.fork);
    body = run_member;
    data = &region_;
  }
  ~RegionScope() {
    acquire(e_, region_.join);
    acquire(e_, region_.tasks);
    forget(e_, region_);
  }
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;

 private:
  Execution& e_;
  Region region_;
};

// --- barrier [2.17.2], and those at the end of constructs
// ---------------------------------------------------
class BarrierScope {
 public:
  BarrierScope(Execution& e, std::uint64_t pc) : e_(e), pc_(pc) {
    Member& m = member(e_);
    region_ = m.region;
    if (region_ != nullptr) arrivals_ = &region_->arrivals[m.barriers++ % 2];
    e_.visible({EventKind::kBarrierWait, MemoryOrder::kAcqRel, 0, reinterpret_cast<Address>(arrivals_), pc});
    if (region_ != nullptr) release(e_, arrivals_);
  }
  ~BarrierScope() {
    if (region_ != nullptr) {
      acquire(e_, arrivals_);
      acquire(e_, region_->tasks);
    }
    e_.changed();
    e_.done(EventKind::kBarrierWait, 0);
    if (Event* event = e_.record(EventKind::kBarrierWait, pc_))
      event->address = reinterpret_cast<Address>(arrivals_);
  }
  BarrierScope(const BarrierScope&) = delete;
  BarrierScope& operator=(const BarrierScope&) = delete;

 private:
  Execution& e_;
  Region* region_ = nullptr;
  const Clock* arrivals_ = nullptr;
  std::uint64_t pc_;
};

// Work that threads take from a common store: who comes first is a choice.
void compete(Execution& e, std::uint64_t pc) {
  e.visible({EventKind::kYield, MemoryOrder::kRelaxed, 0, 0, pc});
  e.changed();
}

// --- tasks [2.10]
// ------------------------------------------------------------------------------------------- Stands before
// the program's data in the block that libgomp copies for a task.
struct Task {
  unsigned long head[3];  // GOMP_taskloop writes the bounds here, and reads where reductions are
  Region* region;
  const void* siblings;  // clock of the ended child tasks of the task that makes it
  Body* body;
  void (*copy)(void*, void*);
  void* data;   // to be copied
  long bytes;   // of it
  long offset;  // of its copy
  bool is_loop;
  std::uint32_t dependences;  // follow
};
constexpr std::uint32_t kMostDependences = 64;
constexpr unsigned kTaskHasDependences = 1u << 3;
constexpr unsigned kTaskHasReductions = 1u << 12;

// depend(out: x) is ordered with every other task that names x, depend(in: x) with those that write it
// [2.17.11].
struct Dependence {
  std::uint64_t address : 63;
  std::uint64_t writes : 1;
};
struct TaskSource {
  Task task;
  Dependence dependences[kMostDependences];
};

const void* readers_of(Dependence d) { return reinterpret_cast<const void*>(d.address | 1ull << 62); }
const void* writers_of(Dependence d) { return reinterpret_cast<const void*>(d.address | 1ull << 61); }

Dependence* dependences_of(Task& task) { return reinterpret_cast<Dependence*>(&task + 1); }

// libgomp's list (gomp_task_handle_depend): counts, then addresses of what is written, and of the rest.
void take_dependences(TaskSource& source, void* const* list) {
  const auto number = [&](std::uint32_t at) { return reinterpret_cast<std::uint64_t>(list[at]); };
  const bool is_long = list[0] == nullptr;
  const std::uint64_t count = is_long ? number(1) : number(0);
  const std::uint64_t written = is_long ? number(2) + number(3) : number(1);
  const std::uint64_t known = is_long ? written + number(4) : count;
  for (std::uint64_t i = 0; i < count && i < kMostDependences; ++i) {
    std::uint64_t address = number(static_cast<std::uint32_t>((is_long ? 5 : 2) + i));
    if (i >= known) address = *reinterpret_cast<const std::uint64_t*>(address);  // in a depend object
    source.dependences[source.task.dependences++] = {address, i < written || i >= known};
  }
}

void copy_task(void* to, void* from) {
  const auto& source = *static_cast<const TaskSource*>(from);
  auto& task = *static_cast<Task*>(to);
  memcpy(&task, &source, sizeof task + source.task.dependences * sizeof(Dependence));
  void* data = static_cast<char*>(to) + task.offset;
  task.copy != nullptr ? task.copy(data, task.data)
                       : void(memcpy(data, task.data, static_cast<std::size_t>(task.bytes)));
  if (Execution* e = engine()) {
    forget(*e, to);
    release(*e, to);
  }
}

void run_task(void* argument) {
  auto& task = *static_cast<Task*>(argument);
  auto* data = static_cast<char*>(argument) + task.offset;
  if (task.is_loop) memcpy(data, task.head, 2 * sizeof task.head[0]);
  Execution* e = engine();
  if (e == nullptr) return task.body(data);
  Member& m = member(*e);
  const Member before = m;
  const Clock children = {};
  m.region = task.region;
  m.children = &children;
  acquire(*e, argument);
  for (std::uint32_t i = 0; i < task.dependences; ++i) {
    const Dependence d = dependences_of(task)[i];
    acquire(*e, writers_of(d));
    if (d.writes != 0) acquire(*e, readers_of(d));
  }
  task.body(data);
  for (std::uint32_t i = 0; i < task.dependences; ++i) {
    const Dependence d = dependences_of(task)[i];
    release(*e, d.writes != 0 ? writers_of(d) : readers_of(d));
  }
  forget(*e, &children);
  forget(*e, argument);
  release(*e, task.siblings);
  if (task.region != nullptr) release(*e, task.region->tasks);
  m = before;
}

constexpr long round_up(long value, long to) { return (value + to - 1) / to * to; }

// What libgomp is given in place of the program's task.
struct TaskCall {
  TaskSource source;
  long bytes;
  long alignment;

  TaskCall(Execution& e, Body* body, void* data, void (*copy)(void*, void*), long data_bytes,
           long data_alignment, void* const* dependences, bool is_loop) {
    const Member& m = member(e);
    source.task = {{}, m.region, children_of(m), body, copy, data, data_bytes, 0, is_loop, 0};
    if (dependences != nullptr) take_dependences(source, dependences);
    alignment = data_alignment > 8 ? data_alignment : 8;
    const auto header = static_cast<long>(sizeof(Task) + source.task.dependences * sizeof(Dependence));
    source.task.offset = round_up(header, alignment);
    bytes = round_up(source.task.offset + data_bytes, alignment);
  }
};

}  // namespace

void* openmp_symbol(const char* name) {
  engine::RuntimeScope scope;
  void* symbol = dlsym(RTLD_NEXT, name);
  if (symbol == nullptr) {
    if (void* library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL)) symbol = dlsym(library, name);
  }
  HEDDLE_CHECK(symbol != nullptr);
  return symbol;
}

}  // namespace heddle::abi

using heddle::abi::engine;

#define HEDDLE_PARALLEL(result, name, types, parameters, arguments) \
  HEDDLE_EXPORT result name parameters {                            \
    auto* real = HEDDLE_OPENMP(name, result types);                 \
    auto* e = engine();                                             \
    if (e == nullptr) return real arguments;                        \
    const heddle::abi::RegionScope region(*e, body, data);          \
    return real arguments;                                          \
  }
#define HEDDLE_PARALLEL_LOOP(name)                                                                          \
  HEDDLE_PARALLEL(void, name, (heddle::abi::Body*, void*, unsigned, long, long, long, long, unsigned),      \
                  (heddle::abi::Body * body, void* data, unsigned threads, long start, long end, long step, \
                   long chunk, unsigned flags),                                                             \
                  (body, data, threads, start, end, step, chunk, flags))
#define HEDDLE_PARALLEL_LOOP_RUNTIME(name)                                                                  \
  HEDDLE_PARALLEL(void, name, (heddle::abi::Body*, void*, unsigned, long, long, long, unsigned),            \
                  (heddle::abi::Body * body, void* data, unsigned threads, long start, long end, long step, \
                   unsigned flags),                                                                         \
                  (body, data, threads, start, end, step, flags))

HEDDLE_PARALLEL(void, GOMP_parallel, (heddle::abi::Body*, void*, unsigned, unsigned),
                (heddle::abi::Body * body, void* data, unsigned threads, unsigned flags),
                (body, data, threads, flags))
HEDDLE_PARALLEL(unsigned, GOMP_parallel_reductions, (heddle::abi::Body*, void*, unsigned, unsigned),
                (heddle::abi::Body * body, void* data, unsigned threads, unsigned flags),
                (body, data, threads, flags))
HEDDLE_PARALLEL(void, GOMP_parallel_sections, (heddle::abi::Body*, void*, unsigned, unsigned, unsigned),
                (heddle::abi::Body * body, void* data, unsigned threads, unsigned count, unsigned flags),
                (body, data, threads, count, flags))
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_static)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_dynamic)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_guided)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
HEDDLE_PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_guided)
HEDDLE_PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_runtime)
HEDDLE_PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_nonmonotonic_runtime)
HEDDLE_PARALLEL_LOOP_RUNTIME(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

#define HEDDLE_OMP_BARRIER(result, name, types, parameters, arguments) \
  HEDDLE_EXPORT result name parameters {                               \
    auto* real = HEDDLE_OPENMP(name, result types);                    \
    auto* e = engine();                                                \
    if (e == nullptr) return real arguments;                           \
    const heddle::abi::BarrierScope barrier(*e, HEDDLE_CALLER_PC);     \
    return real arguments;                                             \
  }
HEDDLE_OMP_BARRIER(void, GOMP_barrier, (), (), ())
HEDDLE_OMP_BARRIER(bool, GOMP_barrier_cancel, (), (), ())
HEDDLE_OMP_BARRIER(void, GOMP_loop_end, (), (), ())
HEDDLE_OMP_BARRIER(bool, GOMP_loop_end_cancel, (), (), ())
HEDDLE_OMP_BARRIER(void, GOMP_sections_end, (), (), ())
HEDDLE_OMP_BARRIER(bool, GOMP_sections_end_cancel, (), (), ())
HEDDLE_OMP_BARRIER(void, GOMP_workshare_task_reduction_unregister, (bool), (bool cancelled), (cancelled))

// Shares of work. The bounds of a loop are the thread's own variables.
#define HEDDLE_SHARE(result, name, types, parameters, arguments)        \
  HEDDLE_EXPORT result name parameters {                                \
    if (auto* e = engine()) heddle::abi::compete(*e, HEDDLE_CALLER_PC); \
    return HEDDLE_OPENMP(name, result types) arguments;                 \
  }
#define HEDDLE_LOOP_NEXT(kind)                                                                          \
  HEDDLE_SHARE(bool, GOMP_loop_##kind##_next, (long*, long*), (long* first, long* last), (first, last)) \
  HEDDLE_SHARE(bool, GOMP_loop_ull_##kind##_next, (long*, long*), (long* first, long* last), (first, last))
#define HEDDLE_LOOP(kind)                                                                        \
  HEDDLE_SHARE(bool, GOMP_loop_##kind##_start, (long, long, long, long, long*, long*),           \
               (long start, long end, long step, long chunk, long* first, long* last),           \
               (start, end, step, chunk, first, last))                                           \
  HEDDLE_SHARE(bool, GOMP_loop_ull_##kind##_start, (bool, long, long, long, long, long*, long*), \
               (bool up, long start, long end, long step, long chunk, long* first, long* last),  \
               (up, start, end, step, chunk, first, last))                                       \
  HEDDLE_LOOP_NEXT(kind)
#define HEDDLE_LOOP_RUNTIME(kind)                                                                           \
  HEDDLE_SHARE(bool, GOMP_loop_##kind##_start, (long, long, long, long*, long*),                            \
               (long start, long end, long step, long* first, long* last), (start, end, step, first, last)) \
  HEDDLE_SHARE(bool, GOMP_loop_ull_##kind##_start, (bool, long, long, long, long*, long*),                  \
               (bool up, long start, long end, long step, long* first, long* last),                         \
               (up, start, end, step, first, last))                                                         \
  HEDDLE_LOOP_NEXT(kind)
HEDDLE_LOOP(dynamic)
HEDDLE_LOOP(guided)
HEDDLE_LOOP(nonmonotonic_dynamic)
HEDDLE_LOOP(nonmonotonic_guided)
HEDDLE_LOOP(ordered_static)
HEDDLE_LOOP(ordered_dynamic)
HEDDLE_LOOP(ordered_guided)
HEDDLE_LOOP_RUNTIME(runtime)
HEDDLE_LOOP_RUNTIME(nonmonotonic_runtime)
HEDDLE_LOOP_RUNTIME(maybe_nonmonotonic_runtime)
HEDDLE_LOOP_RUNTIME(ordered_runtime)
HEDDLE_SHARE(unsigned, GOMP_sections_start, (unsigned), (unsigned count), (count))
HEDDLE_SHARE(unsigned, GOMP_sections_next, (), (), ())
HEDDLE_SHARE(bool, GOMP_single_start, (), (), ())
HEDDLE_SHARE(void, GOMP_taskyield, (), (), ())

// single with copyprivate [2.8.2]: whoever was first hands its values to the others.
HEDDLE_EXPORT void* GOMP_single_copy_start() {
  auto* e = engine();
  if (e != nullptr) heddle::abi::compete(*e, HEDDLE_CALLER_PC);
  void* values = HEDDLE_OPENMP(GOMP_single_copy_start, void*())();
  if (e != nullptr && values != nullptr) {
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::acquire(*e, r->copied);
  }
  return values;
}
HEDDLE_EXPORT void GOMP_single_copy_end(void* values) {
  if (auto* e = engine()) {
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::release(*e, r->copied);
  }
  HEDDLE_OPENMP(GOMP_single_copy_end, void(void*))(values);
}

// ordered [2.17.9]: one iteration after the other.
HEDDLE_EXPORT void GOMP_ordered_start() {
  HEDDLE_OPENMP(GOMP_ordered_start, void())();
  if (auto* e = engine()) {
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::acquire(*e, r->ordered);
  }
}
HEDDLE_EXPORT void GOMP_ordered_end() {
  if (auto* e = engine()) {
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::release(*e, r->ordered);
  }
  HEDDLE_OPENMP(GOMP_ordered_end, void())();
}

HEDDLE_EXPORT void GOMP_task(heddle::abi::Body* body, void* data, void (*copy)(void*, void*), long bytes,
                             long alignment, bool deferred, unsigned flags, void** dependences, int priority,
                             void* detach) {
  auto* real = HEDDLE_OPENMP(GOMP_task, void(heddle::abi::Body*, void*, void (*)(void*, void*), long, long,
                                             bool, unsigned, void**, int, void*));
  auto* e = engine();
  if (e == nullptr)
    return real(body, data, copy, bytes, alignment, deferred, flags, dependences, priority, detach);
  heddle::abi::TaskCall call(*e, body, data, copy, bytes, alignment,
                             (flags & heddle::abi::kTaskHasDependences) != 0 ? dependences : nullptr, false);
  real(heddle::abi::run_task, &call.source, heddle::abi::copy_task, call.bytes, call.alignment, deferred,
       flags, dependences, priority, detach);
}

#define HEDDLE_TASKLOOP(name, Index)                                                                      \
  HEDDLE_EXPORT void name(heddle::abi::Body* body, void* data, void (*copy)(void*, void*), long bytes,    \
                          long alignment, unsigned flags, unsigned long tasks, int priority, Index start, \
                          Index end, Index step) {                                                        \
    auto* real = HEDDLE_OPENMP(name, void(heddle::abi::Body*, void*, void (*)(void*, void*), long, long,  \
                                          unsigned, unsigned long, int, Index, Index, Index));            \
    auto* e = engine();                                                                                   \
    if (e == nullptr)                                                                                     \
      return real(body, data, copy, bytes, alignment, flags, tasks, priority, start, end, step);          \
    heddle::abi::TaskCall call(*e, body, data, copy, bytes, alignment, nullptr, true);                    \
    if ((flags & heddle::abi::kTaskHasReductions) != 0)                                                   \
      call.source.task.head[2] = static_cast<unsigned long*>(data)[2];                                    \
    real(heddle::abi::run_task, &call.source, heddle::abi::copy_task, call.bytes, call.alignment, flags,  \
         tasks, priority, start, end, step);                                                              \
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::acquire(*e, r->tasks);      \
  }
HEDDLE_TASKLOOP(GOMP_taskloop, long)
HEDDLE_TASKLOOP(GOMP_taskloop_ull, unsigned long long)

// Who waits for its child tasks, or for all tasks of a group, knows what they did. (Of the group's: what any
// task of the region did that has ended.)
HEDDLE_EXPORT void GOMP_taskwait() {
  HEDDLE_OPENMP(GOMP_taskwait, void())();
  if (auto* e = engine()) heddle::abi::acquire(*e, heddle::abi::children_of(heddle::abi::member(*e)));
}
HEDDLE_EXPORT void GOMP_taskwait_depend(void** dependences) {
  HEDDLE_OPENMP(GOMP_taskwait_depend, void(void**))(dependences);
  if (auto* e = engine()) {
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::acquire(*e, r->tasks);
  }
}
HEDDLE_EXPORT void GOMP_taskgroup_end() {
  HEDDLE_OPENMP(GOMP_taskgroup_end, void())();
  if (auto* e = engine()) {
    if (heddle::abi::Region* r = heddle::abi::member(*e).region) heddle::abi::acquire(*e, r->tasks);
  }
}
