// Names, stacks, scheduling parameters and processor sets of threads. The kernel does not know our threads,
// and none of these changes who runs when: they are kept and told back as the kernel would.
#include "runtime/abi/pthread/thread_attributes.h"

#include <errno.h>
#include <sched.h>

#include "core/base/pages.h"
#include "runtime/abi/libc/process_ids.h"
#include "runtime/abi/pthread/pthread_objects.h"
#include "runtime/session/session.h"

namespace heddle::abi {
namespace {

struct Attributes {
  std::uint64_t stack_bytes = 0;
  void* given_stack = nullptr;
  std::size_t guard_bytes = 0;  // what libc says of main; a thread that is made gets its own
  int policy = SCHED_OTHER;
  sched_param parameters{};
  bool has_affinity = false;
  cpu_set_t affinity{};
};

struct KeptAttributes {
  // By slot; pages are touched as threads are made, which takes that all members are zero at first. Slot 0 is
  // main.
  Attributes of[kMaxThreads];
  bool has_own_defaults = false;  // pthread_setattr_default_np was called
};
KeptAttributes kept;

Attributes& attributes_of(const sched::Thread& t) { return kept.of[index_of(t.id)]; }

bool valid_scheduling(int policy, const sched_param& parameters) {
  const int lowest = sched_get_priority_min(policy);
  return lowest >= 0 && parameters.sched_priority >= lowest &&
         parameters.sched_priority <= sched_get_priority_max(policy);
}

// The processors that the process may use.
std::size_t process_affinity(cpu_set_t& set) {
  set = cpu_set_t{};
  const long bytes = raw_syscall(SYS_sched_getaffinity, 0, sizeof set, &set);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : sizeof set;
}

int get_affinity(const sched::Thread& t, std::size_t bytes, cpu_set_t* result) {
  cpu_set_t set;
  const std::size_t used = process_affinity(set);
  if (bytes < used) return EINVAL;
  if (attributes_of(t).has_affinity) set = attributes_of(t).affinity;
  memset(result, 0, bytes);
  memcpy(result, &set, bytes < sizeof set ? bytes : sizeof set);
  return 0;
}

// The `asked` processors that the process may use; false: none.
bool intersect(const cpu_set_t& asked, cpu_set_t& result) {
  process_affinity(result);
  bool any = false;
  for (std::size_t i = 0; i < sizeof(result.__bits) / sizeof(result.__bits[0]); ++i) {
    result.__bits[i] &= asked.__bits[i];
    any = any || result.__bits[i] != 0;
  }
  return any;
}

int set_affinity(const sched::Thread& t, std::size_t bytes, const cpu_set_t* wanted) {
  cpu_set_t asked{};
  memcpy(&asked, wanted, bytes < sizeof asked ? bytes : sizeof asked);
  cpu_set_t set;
  if (!intersect(asked, set)) return EINVAL;
  attributes_of(t).affinity = set;
  attributes_of(t).has_affinity = true;
  return 0;
}

int set_scheduling(const sched::Thread& t, int policy, const sched_param& parameters) {
  if (!valid_scheduling(policy & ~SCHED_RESET_ON_FORK, parameters)) return EINVAL;
  attributes_of(t).policy = policy;
  attributes_of(t).parameters = parameters;
  return 0;
}

// Threads are spread over the processors that they may use; none ever moves.
unsigned processor_of(const sched::Thread& t) {
  cpu_set_t set;
  get_affinity(t, sizeof set, &set);
  unsigned count = 0;
  for (unsigned i = 0; i < CPU_SETSIZE; ++i) count += CPU_ISSET(i, &set) ? 1 : 0;
  unsigned wanted = index_of(t.id) % (count == 0 ? 1 : count);
  for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set) && wanted-- == 0) return i;
  }
  return 0;
}

int as_result(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

int read_attributes(const pthread_attr_t* attributes, CreationRequest& request) {
  request.guard_bytes = kPageSize;
  pthread_attr_t defaults;
  engine::RuntimeScope scope;
  if (attributes == nullptr) {
    if (!kept.has_own_defaults || pthread_getattr_default_np(&defaults) != 0) return 0;
    attributes = &defaults;
  }
  int state = PTHREAD_CREATE_JOINABLE;
  int inherit = PTHREAD_INHERIT_SCHED;
  void* low = nullptr;
  pthread_attr_getstack(attributes, &low, &request.stack.bytes);
  // Where no address was given, libc answers the size below address zero.
  if (reinterpret_cast<std::uint64_t>(low) + request.stack.bytes != 0) request.stack.low = low;
  if (request.stack.bytes == 0) pthread_attr_getstacksize(attributes, &request.stack.bytes);
  pthread_attr_getdetachstate(attributes, &state);
  request.detached = state == PTHREAD_CREATE_DETACHED;
  pthread_attr_getguardsize(attributes, &request.guard_bytes);
  pthread_attr_getinheritsched(attributes, &inherit);
  request.own_scheduling = inherit == PTHREAD_EXPLICIT_SCHED;
  pthread_attr_getschedpolicy(attributes, &request.policy);
  pthread_attr_getschedparam(attributes, &request.parameters);
  sigset_t mask;
  if (pthread_attr_getsigmask_np(attributes, &mask) == 0) {
    request.own_signal_mask = true;
    memcpy(&request.signal_mask, &mask, sizeof request.signal_mask);
  }
  if (pthread_attr_getaffinity_np(attributes, sizeof request.affinity, &request.affinity) == 0) {
    bool all = true;  // libc's answer where no set was given
    for (const unsigned long word : request.affinity.__bits) all = all && word == ~0ul;
    request.own_affinity = !all;
  }
  if (attributes == &defaults) pthread_attr_destroy(&defaults);
  if (request.own_scheduling && !valid_scheduling(request.policy, request.parameters)) return EINVAL;
  cpu_set_t allowed;
  if (request.own_affinity && !intersect(request.affinity, allowed)) return EINVAL;
  return 0;
}

void keep_attributes(engine::Execution& e, sched::Thread& t, const CreationRequest& request) {
  Attributes& a = attributes_of(t);
  a = attributes_of(e.self());  // policy, priority and processors are inherited
  a.stack_bytes = request.stack.bytes;
  a.given_stack = request.stack.low;
  a.guard_bytes = request.guard_bytes;
  if (request.own_scheduling) {
    a.policy = request.policy;
    a.parameters = request.parameters;
  }
  if (request.own_affinity) set_affinity(t, sizeof request.affinity, &request.affinity);
  if (request.own_signal_mask) t.signal_mask = request.signal_mask & ~sched::kNeverBlocked;
}

sched::Thread* thread_of_tid(engine::Execution& e, pid_t tid) {
  if (tid == 0) return &e.self();
  const pid_t index = tid - kProgramPid;
  if (index < 0 || static_cast<std::uint32_t>(index) >= e.scheduler().thread_count()) return nullptr;
  sched::Thread& t = e.scheduler().thread(ThreadId{static_cast<std::uint16_t>(index)});
  return t.state == sched::ThreadState::kFinished ? nullptr : &t;
}

}  // namespace heddle::abi

using heddle::abi::as_result;
using heddle::abi::attributes_of;
using heddle::abi::engine;
using heddle::abi::thread_of_tid;
using heddle::sched::Thread;

// HEDDLE_THREAD(name, arguments): the thread behind a pthread_t under the engine; natively libc's answer.
#define HEDDLE_FIND_THREAD(name, ...)                      \
  auto* e = engine();                                      \
  if (e == nullptr) return HEDDLE_REAL(name)(__VA_ARGS__); \
  Thread* t = e->scheduler().find(thread);                 \
  if (t == nullptr || t->joined) return ESRCH;

HEDDLE_EXPORT int pthread_setname_np(pthread_t thread, const char* name) noexcept {
  HEDDLE_FIND_THREAD(pthread_setname_np, thread, name)
  if (strlen(name) >= sizeof t->name) return ERANGE;
  memcpy(t->name, name, strlen(name) + 1);
  return 0;
}

// A thread without a name has its creator's, in the end the program's.
HEDDLE_EXPORT int pthread_getname_np(pthread_t thread, char* buffer, std::size_t size) noexcept {
  HEDDLE_FIND_THREAD(pthread_getname_np, thread, buffer, size)
  const char* name = t->name[0] != '\0' ? t->name : heddle::abi::program_short_name();
  if (size <= strlen(name)) return ERANGE;
  memcpy(buffer, name, strlen(name) + 1);
  return 0;
}

HEDDLE_EXPORT int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) noexcept {
  HEDDLE_FIND_THREAD(pthread_getattr_np, thread, attributes)
  heddle::engine::RuntimeScope scope;
  if (const int error = pthread_attr_init(attributes); error != 0) return error;
  const auto& a = attributes_of(*t);
  std::uint64_t low = t->ghost.stack_low;
  std::uint64_t bytes = a.stack_bytes;
  if (t->id == heddle::kMainThread) {
    low = heddle::address_map::kMainStack + heddle::kPageSize;
    bytes = heddle::abi::main_stack_bytes() - heddle::kPageSize;
  } else {
    // The slot may be larger than what was asked for: what counts is below the first frame.
    low = (reinterpret_cast<std::uint64_t>(t->ghost.stack_top) + heddle::kPageSize - bytes) &
          ~std::uint64_t{heddle::kPageSize - 1};
    if (low < t->ghost.stack_low) low = t->ghost.stack_low;
  }
  if (a.given_stack != nullptr) low = reinterpret_cast<std::uint64_t>(a.given_stack);
  pthread_attr_setstack(attributes, reinterpret_cast<void*>(low), bytes);
  pthread_attr_setguardsize(attributes, a.guard_bytes);
  pthread_attr_setdetachstate(attributes, t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
  pthread_attr_setschedpolicy(attributes, a.policy);
  pthread_attr_setschedparam(attributes, &a.parameters);
  cpu_set_t affinity;
  heddle::abi::get_affinity(*t, sizeof affinity, &affinity);
  pthread_attr_setaffinity_np(attributes, sizeof affinity, &affinity);
  return 0;
}

HEDDLE_EXPORT int pthread_setattr_default_np(const pthread_attr_t* attributes) noexcept {
  heddle::abi::kept.has_own_defaults = true;
  return HEDDLE_REAL(pthread_setattr_default_np)(attributes);
}

HEDDLE_EXPORT int pthread_setschedparam(pthread_t thread, int policy,
                                        const sched_param* parameters) noexcept {
  HEDDLE_FIND_THREAD(pthread_setschedparam, thread, policy, parameters)
  heddle::abi::let_others_run_now_and_then(*e, HEDDLE_CALLER_PC);
  return heddle::abi::set_scheduling(*t, policy, *parameters);
}

HEDDLE_EXPORT int pthread_getschedparam(pthread_t thread, int* policy, sched_param* parameters) noexcept {
  HEDDLE_FIND_THREAD(pthread_getschedparam, thread, policy, parameters)
  heddle::abi::let_others_run_now_and_then(*e, HEDDLE_CALLER_PC);
  *policy = attributes_of(*t).policy;
  *parameters = attributes_of(*t).parameters;
  return 0;
}

HEDDLE_EXPORT int pthread_setschedprio(pthread_t thread, int priority) noexcept {
  HEDDLE_FIND_THREAD(pthread_setschedprio, thread, priority)
  sched_param parameters{};
  parameters.sched_priority = priority;
  return heddle::abi::set_scheduling(*t, attributes_of(*t).policy, parameters);
}

HEDDLE_EXPORT int pthread_setaffinity_np(pthread_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  HEDDLE_FIND_THREAD(pthread_setaffinity_np, thread, bytes, set)
  return heddle::abi::set_affinity(*t, bytes, set);
}

HEDDLE_EXPORT int pthread_getaffinity_np(pthread_t thread, std::size_t bytes, cpu_set_t* set) noexcept {
  HEDDLE_FIND_THREAD(pthread_getaffinity_np, thread, bytes, set)
  return heddle::abi::get_affinity(*t, bytes, set);
}

// Each thread's clock is the process's: virtual time does not tell them apart.
HEDDLE_EXPORT int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  HEDDLE_FIND_THREAD(pthread_getcpuclockid, thread, clock)
  *clock = CLOCK_THREAD_CPUTIME_ID;
  return 0;
}

// The kernel's calls by thread id; 0 is the caller. Another process's go to the kernel.
#define HEDDLE_FIND_TID(name, ...)                             \
  auto* e = engine();                                          \
  Thread* t = e != nullptr ? thread_of_tid(*e, pid) : nullptr; \
  if (t == nullptr) return HEDDLE_REAL(name)(__VA_ARGS__);

HEDDLE_EXPORT int sched_setaffinity(pid_t pid, std::size_t bytes, const cpu_set_t* set) noexcept {
  HEDDLE_FIND_TID(sched_setaffinity, pid, bytes, set)
  return as_result(heddle::abi::set_affinity(*t, bytes, set));
}
HEDDLE_EXPORT int sched_getaffinity(pid_t pid, std::size_t bytes, cpu_set_t* set) noexcept {
  HEDDLE_FIND_TID(sched_getaffinity, pid, bytes, set)
  return as_result(heddle::abi::get_affinity(*t, bytes, set));
}
HEDDLE_EXPORT int sched_setscheduler(pid_t pid, int policy, const sched_param* parameters) noexcept {
  HEDDLE_FIND_TID(sched_setscheduler, pid, policy, parameters)
  return as_result(heddle::abi::set_scheduling(*t, policy, *parameters));
}
HEDDLE_EXPORT int sched_getscheduler(pid_t pid) noexcept {
  HEDDLE_FIND_TID(sched_getscheduler, pid)
  return attributes_of(*t).policy;
}
HEDDLE_EXPORT int sched_setparam(pid_t pid, const sched_param* parameters) noexcept {
  HEDDLE_FIND_TID(sched_setparam, pid, parameters)
  return as_result(heddle::abi::set_scheduling(*t, attributes_of(*t).policy, *parameters));
}
HEDDLE_EXPORT int sched_getparam(pid_t pid, sched_param* parameters) noexcept {
  HEDDLE_FIND_TID(sched_getparam, pid, parameters)
  *parameters = attributes_of(*t).parameters;
  return 0;
}

HEDDLE_EXPORT int sched_getcpu() noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(sched_getcpu)();
  return static_cast<int>(heddle::abi::processor_of(e->self()));
}
HEDDLE_EXPORT int getcpu(unsigned* processor, unsigned* node) noexcept {
  auto* e = engine();
  if (e == nullptr) return HEDDLE_REAL(getcpu)(processor, node);
  if (processor != nullptr) *processor = heddle::abi::processor_of(e->self());
  if (node != nullptr) *node = 0;
  return 0;
}
